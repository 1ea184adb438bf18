"""What `import` needs: folders of other layouts, transcripts."""
