"""Host-side tools beside the compiler."""
