"""Instructions of AMD GPUs in Gluon: nothing of it is here."""
