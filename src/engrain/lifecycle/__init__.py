"""What runs unasked: sessions."""
