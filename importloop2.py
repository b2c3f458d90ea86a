import importloop
W = importloop.Z
