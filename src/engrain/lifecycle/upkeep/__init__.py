"""Small jobs: scanning, maps, entities, episodes, triage, the digest."""
