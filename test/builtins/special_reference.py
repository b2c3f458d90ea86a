"""special_reference.py: special functions from their definitions as integrals, sums and inverses, in float64."""
import math

import numpy as np

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(32)


def integrate(function, low, high, panels=16):
    edges = np.linspace(low, high, panels + 1)
    half = 0.5 * (edges[1:] - edges[:-1])
    x = half[:, None] * _NODES + (edges[:-1] + half)[:, None]
    return math.fsum((half[:, None] * _WEIGHTS * function(x)).ravel())


def bessel_j(n, x):
    return integrate(lambda t: np.cos(n * t - x * np.sin(t)), 0, math.pi) / math.pi


def bessel_y(n, x):
    """For x > 0; the second integrand has fallen below 1e-17 where x sinh(t) - n t > 40."""
    end = 1.0
    while x * math.sinh(end) - n * end < 45:
        end += 0.5
    first = integrate(lambda t: np.sin(x * np.sin(t) - n * t), 0, math.pi)
    second = integrate(lambda t: (np.exp(n * t) + (-1)**n * np.exp(-n * t)) * np.exp(-x * np.sinh(t)), 0, end)
    return (first - second) / math.pi


def bessel_i(n, x):
    return integrate(lambda t: np.exp(x * np.cos(t)) * np.cos(n * t), 0, math.pi) / math.pi


def erfcx(x):
    """exp(x²) erfc(x); for large x from the integral 2/√π ∫ exp(-t² - 2xt) dt, which does not overflow."""
    if x < 1:
        return math.exp(x * x) * math.erfc(x)
    return 2 / math.sqrt(math.pi) * integrate(lambda t: np.exp(-t * t - 2 * x * t), 0, 20 / x)


def normcdf(x):
    return 0.5 * math.erfc(-x / math.sqrt(2))


def inverse(function, y, low, high):
    """Where an increasing function reaches y, by bisection to the last bit."""
    for _ in range(200):
        middle = 0.5 * (low + high)
        if function(middle) < y:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


def erfinv(y):
    return inverse(math.erf, y, -6.0, 6.0)


def erfcinv(y):
    return -inverse(lambda x: math.erfc(-x), y, -27.0, 6.0)


def normcdfinv(y):
    return inverse(normcdf, y, -38.0, 9.0)


# Values that can be looked up (Abramowitz and Stegun).
assert abs(bessel_j(0, 1.0) - 0.7651976865579666) < 1e-14
assert abs(bessel_y(0, 1.0) - 0.08825696421567698) < 1e-12
assert abs(bessel_y(1, 2.0) + 0.10703243154093755) < 1e-12
assert abs(bessel_i(1, 1.0) - 0.5651591039924851) < 1e-14
assert abs(erfcx(1.0) - 0.427583576155807) < 1e-12 and abs(normcdfinv(0.975) - 1.959963984540054) < 1e-12
