"""What is known of people and projects, written anew."""
