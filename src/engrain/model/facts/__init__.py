"""People, companies and projects, and the facts about them."""
