import importloop2
Z = importloop2.W
