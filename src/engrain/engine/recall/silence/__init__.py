"""When recall keeps silent: the threshold of one vault, and how it is found."""
