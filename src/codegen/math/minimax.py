"""Finds the polynomials of this folder: Remez's algorithm in 160 bits. Needs mpmath.

    python3 minimax.py "(exp(r) - 1 - r) / r**2" "r**2 / exp(r)" 9 -0.347 0.347

prints the coefficients of degree 9, highest first, that make the largest weighted error on the interval smallest, and
that error. The variable may have any name of one letter; a removable singularity at 0 is stepped over. f32 takes the
coefficients rounded to it."""
import re
import sys

import mpmath
from mpmath import mpf

mpmath.mp.prec = 160


def compile_function(text):
    variable = re.search(r"\b[a-z]\b", text).group()
    code = compile(text, "expression", "eval")
    names = {name: getattr(mpmath, name) for name in dir(mpmath) if not name.startswith("_")}

    def value(x):
        return eval(code, names, {variable: x if abs(x) > mpf("1e-12") else mpf("1e-12")})

    return value


def solve(function, weight, nodes):
    """The polynomial whose weighted errors at the nodes are equal and alternate, and that error."""
    count = len(nodes)
    matrix, values = mpmath.matrix(count, count), mpmath.matrix(count, 1)
    for i, x in enumerate(nodes):
        for power in range(count - 1):
            matrix[i, power] = x**power
        matrix[i, count - 1] = (-1) ** i / weight(x)
        values[i] = function(x)
    solution = mpmath.lu_solve(matrix, values)
    return [solution[i] for i in range(count - 1)][::-1], abs(solution[count - 1])


def extrema(error, grid, count):
    """One place of largest error for each stretch of one sign; the smallest at the ends are dropped."""
    errors = [error(x) for x in grid]
    found, start = [], 0
    for i in range(1, len(grid) + 1):
        if i == len(grid) or (errors[i] >= 0) != (errors[start] >= 0):
            found.append(max(range(start, i), key=lambda k: abs(errors[k])))
            start = i
    while len(found) > count:
        found.pop(0 if abs(errors[found[0]]) < abs(errors[found[-1]]) else -1)
    return [grid[k] for k in found], max(abs(e) for e in errors)


def minimax(function, weight, degree, low, high):
    middle, radius, points = (low + high) / 2, (high - low) / 2, 100 * (degree + 2)
    grid = [middle - radius * mpmath.cos(mpmath.pi * i / points) for i in range(points + 1)]
    grid = [x for x in grid if abs(x) > 1e-6 * radius]  # the weight may be 0 at 0
    nodes = [middle - radius * mpmath.cos(mpmath.pi * i / (degree + 1)) for i in range(degree + 2)]
    nodes = [x if abs(x) > 1e-6 * radius else radius / 50 for x in nodes]
    for _ in range(30):
        coefficients, level = solve(function, weight, nodes)
        nodes, largest = extrema(
            lambda x: weight(x) * (function(x) - mpmath.polyval(coefficients, x)), grid, degree + 2)
        if len(nodes) < degree + 2 or largest < level * mpf("1.001"):
            break
    return coefficients, largest


def main():
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    function, weight = compile_function(sys.argv[1]), compile_function(sys.argv[2])
    coefficients, error = minimax(function, weight, int(sys.argv[3]), mpf(sys.argv[4]), mpf(sys.argv[5]))
    print(", ".join(repr(float(c)) for c in coefficients))
    print("largest error 2^" + mpmath.nstr(mpmath.log(error, 2), 5))


if __name__ == "__main__":
    main()
