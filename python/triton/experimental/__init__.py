"""Parts of Triton that may change."""
