"""The report: a comparison as one self-contained page that opens anywhere, also on paper."""

from .reproduce import python_code, shell_command
from .summary import Column, Summary, summarize
from .write import write_report

__all__ = [
    "Column",
    "Summary",
    "python_code",
    "shell_command",
    "summarize",
    "write_report",
]
