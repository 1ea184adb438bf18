"""What is learned from what agents did and said: their transcripts, and what they hold."""
