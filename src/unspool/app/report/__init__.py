"""The report: a comparison as one self-contained page that opens anywhere, also on paper."""

from .summary import Column, Summary, summarize
from .write import write_report

__all__ = ["Column", "Summary", "summarize", "write_report"]
