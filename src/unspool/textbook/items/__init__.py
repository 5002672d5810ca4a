"""The items of the executable textbook, by text and subject."""
