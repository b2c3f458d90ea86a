"""Tests of a Python package: one passes, one fails, one is skipped, and one dies where DIES is set."""
import os

import pytest


def test_right():
    pass


def test_wrong():
    assert 1 == 2


def test_last():
    if "DIES" in os.environ:
        os.abort()
    pytest.skip("it is late")
