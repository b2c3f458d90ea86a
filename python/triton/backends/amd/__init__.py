"""AMD GPUs: not supported; the modules exist so that code which probes for them imports."""
