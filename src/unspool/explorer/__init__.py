"""The explorer: a page that shows maps, and answers where they lie.

``explore`` begins one; ``routes`` are the questions that its page may ask, ``honesty`` and
``verdicts`` answer them from the stages of the library; the page is served (``server``), or stands
in a file or a notebook (``pages``).
"""

from .start import explore

__all__ = ["explore"]
