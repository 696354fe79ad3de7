"""What can go wrong."""


class ExchangeError(Exception):
    """A call failed. ``reason`` is one of the names of ``ExchangeException.Reason`` in Java, such as KEY_MISSING."""

    def __init__(self, reason, message):
        super().__init__(message)
        self.reason = reason


class ImageError(ValueError):
    """A value cannot be written as an image, or an image is damaged or has values that Python does not have."""
