// Pch.cpp: the home of the shared precompiled header; it has no code of its own.
