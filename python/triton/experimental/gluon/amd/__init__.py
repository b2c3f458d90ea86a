"""Gluon on AMD GPUs: nothing of it is here."""
