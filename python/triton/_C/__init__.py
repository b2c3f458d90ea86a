"""Triton's compiled module lives here; nereid's is `nereid._native`."""
