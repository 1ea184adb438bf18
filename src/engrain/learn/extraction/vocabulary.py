"""Names and words of which patterns are made."""

from __future__ import annotations

NAME = r"(?:[A-Z][\w&'.-]*[\w&])(?: (?:(?:of|the|and|de|la|&) )?(?:[A-Z0-9][\w&'.-]*[\w&]|[A-Z]))*"
NUMBER = r"(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\d{1,3})"
KIN = (
    r"(?:(?:older|younger|big|little|eldest|oldest|youngest|twin|step|half|ex"
    r"|late|best|close|good|old|great)[ -]?)*"
    r"(?:sister|brother|wife|husband|son|daughter|mother|father|mom|mum|dad"
    r"|parents|partner|fianc[ée]e?|girlfriend"
    r"|boyfriend|spouse|kid|child|baby|uncle|aunt|auntie|cousin|nephew|niece"
    r"|grand(?:ma|pa|mother|father|son|daughter)"
    r"|friend|roommate|flatmate|boss|manager|colleague|coworker|mentor"
    r"|neighbou?r|teammate|mother-in-law|father-in-law)"
)
PET = (
    r"(?:dog|cat|puppy|pup|kitten|rabbit|hamster|parrot|bird|turtle|tortoise"
    r"|snake|gecko|horse|guinea pig|ferret)"
)
JOB = (
    r"(?:(?:\w+[ -]){0,4}?(?:teacher|nurse|doctor|engineer|developer|programmer"
    r"|designer|lawyer|chef|cook|writer"
    r"|author|artist|musician|singer|dancer|actor|actress|pilot|mechanic"
    r"|electrician|plumber|carpenter|architect"
    r"|accountant|banker|analyst|scientist|researcher|professor|lecturer|student"
    r"|manager|director|consultant"
    r"|photographer|journalist|editor|librarian|therapist|counsell?or"
    r"|psychologist|dentist|veterinarian|vet"
    r"|pharmacist|surgeon|paramedic|firefighter|officer|soldier|veteran|driver"
    r"|farmer|baker|barista|bartender|waiter"
    r"|waitress|salesperson|realtor|agent|entrepreneur|founder|co-founder|owner"
    r"|freelancer|translator|coach|trainer"
    r"|technician|administrator|assistant|secretary|receptionist|producer"
    r"|filmmaker|animator|blogger|streamer|gamer"
    r"|physicist|chemist|biologist|economist|statistician|data scientist|ceo|cto"
    r"|cfo|coo|vp|intern|apprentice"
    r"|social worker|midwife|tailor|potter|painter|sculptor|tutor|instructor"
    r"|player|athlete|guard|striker|goalkeeper|quarterback|captain|mom|mum|dad"
    r"|parent|widow"
    r"|widower|vegan|vegetarian|pescatarian|pescetarian|christian|muslim|jew"
    r"|hindu|buddhist|atheist|citizen))"
)
LANGUAGE = (
    r"(?:English|German|French|Spanish|Italian|Portuguese|Dutch|Polish|Russian"
    r"|Ukrainian|Czech|Swedish|Danish"
    r"|Norwegian|Finnish|Greek|Turkish|Arabic|Hebrew|Hindi|Urdu|Bengali|Japanese"
    r"|Korean|Mandarin|Cantonese|Chinese"
    r"|Vietnamese|Thai|Latin|Swahili|sign language)"
)
ILLNESS = (
    r"(?:asthma|diabetes|epilepsy|ADHD|autism|arthritis|migraines?|depression"
    r"|anxiety|cancer|celiac(?: disease)?|dyslexia"
    r"|insomnia|PTSD|gastritis|hypertension|high blood pressure"
    r"|an? \w+ (?:allergy|intolerance|condition|disorder|disease))"
)
NOT_POINTING = (
    r"(?!(?:it|this|that|these|those|them|you|your|how|when|what|the way|seeing"
    r"|being|having|getting|him|her|to)\b)"
)
LIKED = (
    rf"{NOT_POINTING}(?!the (?:idea|first|second|third|former|latter|other|last"
    r"|one|option|current|new|old|way)\b)"
)

_TOOLS = """
angular ansible arch azure babel bazel bun chrome clojure copilot cursor cypress debian deno
django docker elixir emacs emotion erlang express fastify fedora firefox flask flutter go gradle
grafana haskell helm heroku jest jira julia kafka kotlin kubernetes laravel linux lua maven
meteor mongo neovim netlify nix node notion nuxt obsidian oracle perl phoenix playwright podman
poetry postgres prettier prisma pulumi puppet python rails react redis redux remix ruby ruff
rust safari sass scala slack snowflake solid spark spring sqlite stripe supabase svelte swift
tailwind terraform tokio travis ubuntu vercel vim vite vue wayland webpack windows xcode yarn
zed zig zsh zustand
"""
TOOLS = frozenset(_TOOLS.split())
"""What looks like the name of a place, and is what programmers move to."""
