"""The explorer: a page that shows maps, and answers where they lie.

``explore`` begins one; ``routes`` are the questions that its page may ask, ``honesty`` and
``placing`` answer them from the stages of the library, ``server``, ``widget`` and ``export`` are
the three hosts of the page.
"""

from .start import explore

__all__ = ["explore"]
