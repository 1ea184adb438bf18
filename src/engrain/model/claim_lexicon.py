"""Words of which is known what they stand for: trades, states that exclude one another, tools of
one kind, people. A word that is missing here is only not understood."""

from __future__ import annotations

from functools import lru_cache

from engrain.model.claim_vocabulary import vocabulary

ROLES = vocabulary(
    """engineer developer designer manager director analyst scientist architect consultant lead
    officer president teacher professor nurse doctor lawyer accountant writer editor
    journalist intern student researcher assistant associate administrator founder cofounder
    co-founder partner chef cook barista waiter waitress driver pilot electrician plumber
    carpenter mechanic photographer artist musician actor coach trainer therapist
    psychologist pharmacist dentist surgeon paramedic firefighter recruiter salesperson
    salesman marketer strategist planner coordinator specialist technician operator owner
    head principal supervisor tutor librarian translator secretary receptionist cashier
    clerk realtor banker broker trader economist statistician biologist chemist physicist
    veterinarian vet farmer gardener baker tester evangelist advocate executive chief cto
    ceo cfo coo cpo cmo ciso vp swe sre pm em dev freelancer contractor buyer curator
    postdoc lecturer instructor judge detective bartender programmer superintendent
    controller auditor paralegal attorney counsel producer illustrator animator copywriter
    stylist hairdresser tailor tech apprentice staff trainee fellow"""
)
STATES = {
    "diet": {
        "vegetarian": "vegetarian meatless meat-free",
        "vegan": "vegan plant-based",
        "pescatarian": "pescatarian pescetarian",
        "meat": "omnivore omnivorous carnivore",
        "keto": "keto ketogenic low-carb",
        "gluten-free": "gluten-free coeliac celiac",
    },
    "marital_status": {
        "single": "single unattached",
        "engaged": "engaged",
        "married": "married wed hitched",
        "divorced": "divorced",
        "separated": "separated",
        "widowed": "widowed widow widower",
    },
    "employment": {
        "retired": "retired",
        "unemployed": "unemployed jobless",
        "self-employed": "self-employed freelance freelancing freelancer",
    },
    "hours": {"full-time": "full-time fulltime", "part-time": "part-time parttime"},
    "work_mode": {
        "remote": "remote remotely wfh",
        "hybrid": "hybrid",
        "office": "in-office on-site onsite in-person",
    },
    "chronotype": {
        "morning": "early_bird early_riser morning_person lark",
        "night": "night_owl late_riser night_person evening_person",
    },
    "smokes": {"no": "non-smoker nonsmoker smoke-free ex-smoker", "yes": "smoker"},
    "listing": {"public": "public publicly_traded publicly_listed", "private": "privately_held"},
    "source": {
        "open": "open-source open_source opensource",
        "closed": "closed-source closed_source proprietary",
    },
    "switch": {
        "on": "enabled on switched_on turned_on",
        "off": "disabled off switched_off turned_off",
    },
    "opening": {"open": "open", "closed": "closed shut shuttered"},
    "status": {
        "going": "in_progress underway under_way ongoing in_development in_beta in_alpha "
        "in_design being_built in_planning in_discovery in_flight under_development in_review",
        "paused": "on_hold paused frozen parked shelved on_ice on_the_back_burner suspended "
        "mothballed on_the_backburner on_pause",
        "over": "cancelled canceled killed scrapped axed discontinued sunset sunsetted abandoned "
        "dead defunct called_off decommissioned binned",
        "done": "shipped launched released live completed complete finished done delivered "
        "wrapped_up in_production generally_available",
        "blocked": "blocked stuck stalled",
        "late": "delayed behind_schedule at_risk behind slipping overdue",
        "fine": "on_track on_schedule ahead_of_schedule unblocked",
    },
    "health": {"green": "green", "yellow": "yellow amber", "red": "red"},
}
"""By predicate, states of which one excludes the other, each with the words that tell it."""
KINDS = {
    "database": "postgres mysql mariadb sqlite mongo dynamodb cassandra cockroachdb oracle redis "
    "firestore firebase supabase clickhouse planetscale neo4j bigquery snowflake redshift duckdb "
    "couchdb tidb aurora spanner yugabyte mssql",
    "language": "python javascript typescript go rust java kotlin scala ruby php perl elixir "
    "erlang haskell clojure swift c++ c# dart cobol fortran zig ocaml",
    "frontend": "react vue angular svelte ember solid backbone jquery next.js nuxt remix preact "
    "htmx sveltekit elm",
    "backend": "django flask fastapi rails express spring laravel nestjs phoenix gin symfony "
    "sinatra koa fastify",
    "hosting": "aws azure heroku vercel netlify fly.io render digitalocean hetzner linode "
    "cloudflare kubernetes ecs railway on-prem nomad lambda google_cloud bare_metal ovh",
    "ci": "jenkins circleci travis github_actions gitlab_ci buildkite teamcity drone bamboo",
    "chat": "slack teams discord mattermost zulip rocket.chat google_chat",
    "tracker": "jira linear trello asana clickup github_issues monday.com shortcut redmine "
    "basecamp youtrack height bugzilla",
    "vcs": "github gitlab bitbucket gitea codeberg sourcehut svn perforce forgejo",
    "editor": "vim neovim emacs vs_code intellij pycharm sublime webstorm helix zed cursor nano "
    "atom eclipse xcode goland rider jetbrains",
    "os": "linux windows macos ubuntu fedora debian arch mint nixos",
    "browser": "chrome firefox safari edge brave vivaldi opera arc",
    "phone": "iphone pixel galaxy android oneplus nokia samsung fairphone blackberry xiaomi",
    "analytics": "mixpanel amplitude google_analytics posthog segment matomo heap plausible",
    "payments": "stripe paypal adyen braintree square mollie klarna",
    "video": "zoom google_meet webex skype jitsi",
    "notes": "notion obsidian evernote onenote roam logseq bear apple_notes",
    "ticketing": "zendesk intercom freshdesk helpscout",
    "monitoring": "datadog grafana prometheus newrelic sentry splunk honeycomb",
    "auth": "auth0 okta keycloak cognito clerk",
    "mail": "gmail outlook fastmail protonmail hotmail thunderbird hey.com",
    "license": "mit apache gpl agpl lgpl bsd mpl bsl",
}
"""Tools of one kind, of which one takes the place of another."""
PEOPLE = vocabulary(
    """brother sister mother father mom mum dad son daughter cousin uncle aunt niece nephew
    parent parents grandmother grandfather grandma grandpa friend friends colleague
    colleagues coworker co-worker roommate flatmate neighbour neighbor wife husband spouse
    girlfriend boyfriend fiance fiancee fiancé fiancée partner twin sibling siblings kid
    kids child children family boss manager mentor mentee client customer competitor rival
    sister-company supplier vendor cofounder co-founder landlord assistant predecessor
    successor ex cat dog in-laws brother-in-law sister-in-law mother-in-law father-in-law
    best-friend buddy pal teammate"""
)
"""Whoever is someone else than the subject, though the subject's."""
LOOSE = vocabulary(
    """friend sibling brother sister cousin child son daughter parent hobby goal interest skill
    colleague value problem issue concern strength weakness feature idea plan wish dream
    memory story trip book project task customer client partner investor competitor pet cat
    dog plant question point thing part example reason way highlight lesson challenge fear
    habit talent uncle aunt niece nephew neighbour neighbor accomplishment achievement award
    photo picture advice benefit advantage disadvantage tip passion inspiration gift source
    mistake favourite risk note comment opinion feedback experience event visit time day
    week month year one kid room member user engineer developer option step bug ticket
    result topic use case course class game song film dish recipe meal post article paper
    talk student roommate"""
)
"""Nouns of which one has several: another value says nothing against the first."""


@lru_cache(maxsize=1)
def kind_of_tool() -> dict[str, str]:
    """The kind of each tool, by its name with `_` for blanks."""
    return {tool: kind for kind, tools in KINDS.items() for tool in tools.split()}


@lru_cache(maxsize=1)
def state_words() -> dict[str, tuple[str, str]]:
    """The predicate and the state of each word that tells one, with blanks in the words."""
    return {
        word.replace("_", " "): (predicate, state)
        for predicate, states in STATES.items()
        for state, words in states.items()
        for word in words.split()
    }


OPPOSITES = frozenset(
    frozenset(pair.split())
    for pair in (
        "open clos", "public privat", "enabl disabl", "mandatory optional", "requir optional",
        "left right", "left-handed right-handed", "introvert extrovert", "allow forbid",
        "allow prohibit", "fre paid", "activ inactiv", "sync async", "morn even", "morn night",
        "lov hat", "lik hat", "lik dislik", "lov dislik", "enjoy hat", "early lat", "remot office",
        "manual automatic", "online offline", "weekly monthly", "weekly biweekly", "daily weekly",
        "light dark", "tab spac", "up down", "accept reject", "full-tim part-tim", "pro contra",
        "support oppos", "increas decreas", "in out", "indoor outdoor", "monthly quarterly",
        "weekly fortnightly", "opt-in opt-out", "hot iced", "sweet savoury", "window aisl",
        "cash card", "approv reject", "profitable unprofitable", "profitabl unprofitabl",
        "monolith microservic", "stabl unstabl", "encrypt unencrypt",
    )
)  # fmt: skip
"""Words, folded, of which one excludes the other where all else is the same."""
