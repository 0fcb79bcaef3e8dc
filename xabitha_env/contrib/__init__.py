"""Bridges to other libraries; each module is imported only by who uses it."""
