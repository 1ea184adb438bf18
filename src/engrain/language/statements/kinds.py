"""Words of which is known what they stand for: trades, people, tools of one kind. One that is
missing here is only not understood."""

from __future__ import annotations

from engrain.language.text.vocabulary import vocabulary

ROLES = vocabulary(
    """engineer developer designer manager director analyst scientist architect consultant lead
    officer president teacher professor nurse doctor lawyer accountant writer editor journalist
    intern student researcher assistant associate administrator founder cofounder co-founder
    partner chef cook barista waiter waitress driver pilot electrician plumber carpenter
    mechanic photographer artist musician actor coach trainer therapist psychologist pharmacist
    dentist surgeon paramedic firefighter recruiter salesperson salesman marketer strategist
    planner coordinator specialist technician operator owner head principal supervisor tutor
    librarian translator secretary receptionist cashier clerk realtor banker broker trader
    economist statistician biologist chemist physicist veterinarian vet farmer gardener baker
    tester evangelist advocate executive chief cto ceo cfo coo cpo cmo ciso vp swe sre pm em dev
    freelancer contractor buyer curator postdoc lecturer instructor judge detective officer
    bartender programmer superintendent controller auditor paralegal attorney counsel producer
    illustrator animator copywriter stylist hairdresser tailor tech apprentice staff trainee
    fellow"""
)

KINDS = """
database: postgres|postgresql, mysql, mariadb, sqlite, mongo|mongodb, dynamodb, cassandra,
    cockroachdb, oracle db, firestore|firebase, supabase, planetscale, neo4j, couchdb, tidb,
    yugabyte, mssql|sql server, rethinkdb, percona
warehouse: clickhouse, bigquery, snowflake, redshift, duckdb, databricks
cache: redis, memcached, valkey, keydb
queue: rabbitmq, kafka, sqs, celery, sidekiq, nats, pulsar, activemq, zeromq, bullmq
search: elasticsearch|elastic search|!Elastic, opensearch, solr, typesense, meilisearch,
    algolia, lucene, sphinx
language: python, javascript, typescript, golang|!Go, !Rust|rust codebase, java, kotlin, scala,
    ruby, php, perl, elixir, erlang, haskell, clojure, !Swift, c++, c#, !Dart, cobol, fortran,
    zig, ocaml, lua, visual basic, node|node.js|nodejs, .net
frontend: !React|react native app|reactjs, vue, angular, svelte, ember.js, solidjs, jquery,
    next.js, nuxt, !Remix, preact, htmx, sveltekit, elm, astro
backend: django, flask, fastapi, !Rails|ruby on rails, express.js, spring boot|!Spring, laravel,
    nestjs, !Gin, symfony, sinatra, fastify, quarkus
mobile_kit: flutter, react native, ionic, cordova, xamarin, swiftui
hosting: aws|amazon web services, azure, heroku, vercel, netlify, fly.io|!Fly, !Render,
    digitalocean, hetzner, linode, cloudflare, railway, on-prem|on prem|own racks|own
    servers|own hardware, google cloud|gcp, bare metal, ovh, scaleway, rackspace, colo, cloud
    run, self-hosted
orchestration: kubernetes|k8s, ecs, nomad, docker swarm, openshift, k3s, docker compose
ci: jenkins, circleci|circle ci, travis ci, github actions|gh actions, gitlab ci, buildkite,
    teamcity, drone ci, azure pipelines, woodpecker, bitbucket pipelines
build: bazel, !Make|makefile|plain make, cmake, gradle, maven, webpack, vite, rollup, esbuild,
    !Parcel, turborepo, npm, yarn, pnpm, bun, !Poetry, !pip, !uv, pipenv, conda
chat: slack, !Teams|ms teams|microsoft teams, discord, mattermost, zulip, rocket.chat, google
    chat, whatsapp, telegram, !Signal, skype, irc, wechat
tracker: jira, !Linear, trello, asana, clickup, github issues, monday.com, redmine, basecamp,
    youtrack, bugzilla, !Shortcut, pivotal tracker|!Pivotal, azure boards, todoist
vcs: github, gitlab, bitbucket, gitea, codeberg, sourcehut, svn|subversion, perforce, forgejo,
    mercurial
editor: vim, neovim|nvim, emacs|.emacs.d|spacemacs|doom emacs, vs code|vscode|visual studio
    code, intellij, pycharm, !Sublime|sublime text, webstorm, !Helix, !Zed, !Cursor, !Atom,
    !Eclipse, xcode, goland, !Rider, !JetBrains, notepad++
os: linux, windows, macos|!Mac|macbook, ubuntu, fedora, debian, arch linux, linux mint, nixos,
    chromebook
browser: chrome, firefox, !Safari, !Edge, !Brave, vivaldi, !Opera, !Arc
phone: iphone, !Pixel, !Galaxy, android phone|!Android, oneplus, nokia, samsung, fairphone,
    blackberry, xiaomi, huawei, dumbphone, flip phone
car_model: tesla|tesla model 3|model 3|model y|model s, volvo, vw, passat, !Golf, !Polo, bmw,
    audi, mercedes, toyota, corolla, prius, yaris, honda, !Civic, subaru, !Ford, !Focus,
    !Fiesta, fiat, punto, opel, astra, corsa, skoda, octavia, fabia, seat leon, ibiza, peugeot,
    renault, clio, !Zoe, twingo, citroen, kia, hyundai, kona, ioniq, nissan, !Leaf, !Micra,
    mazda, mini cooper|!Mini, porsche, lexus, jeep, dacia, duster, sandero, jetta, tiguan, id.3,
    id.4, rivian, camry, accord, chevy, polestar, saab
analytics: mixpanel, !Amplitude, google analytics, posthog, !Segment, matomo, !Plausible, fathom
    analytics
payments: !Stripe|stripe integration, paypal, adyen, braintree, !Square, !Mollie, klarna
video: zoom, google meet, webex, jitsi, whereby
notes: !Notion, obsidian, evernote, onenote, !Roam, logseq, apple notes, confluence, bear notes,
    joplin, remnote, sharepoint
ticketing: zendesk, !Intercom, freshdesk, helpscout|help scout
crm: salesforce, hubspot, pipedrive, zoho, attio, close.io
monitoring: datadog, grafana, prometheus, newrelic|new relic, splunk, honeycomb, nagios,
    cloudwatch, zabbix, dynatrace
errors: sentry, bugsnag, rollbar, airbrake
auth: auth0, okta, keycloak, cognito, !Clerk
mail_host: gmail, outlook, fastmail, protonmail, hotmail, thunderbird, google workspace
license_kind: mit, apache 2.0|!Apache, gpl, agpl, lgpl, bsd, mpl, bsl
test_py: pytest, unittest, nose2
test_js: jest, mocha, vitest, !Karma
test_e2e: !Cypress|cypress tests, playwright, selenium, !Puppeteer, webdriver, webdriverio,
    testcafe
test_jvm: junit, testng, spock
test_rb: rspec, minitest
css: tailwind, bulma, styled components, material ui|mui, chakra
design_tool: figma, !Sketch, adobe xd, invision, penpot, canva
iac: terraform, pulumi, cloudformation, ansible, !Chef, !Puppet, opentofu, cdk
api_style: !REST, graphql, grpc, !SOAP, trpc
formatter: prettier, eslint, biome, flake8, pylint
bank: barclays, monzo, revolut, n26, hsbc, commerzbank, sparkasse, !Starling, deutsche bank,
    lloyds, natwest, santander
erp: sap, netsuite, odoo, workday, quickbooks, xero, datev, personio, bamboohr, gusto,
    lexoffice, freshbooks
ml: pytorch, tensorflow, jax, keras, scikit-learn
music: spotify, apple music, deezer, youtube music
"""
"""Tools of one kind, of which one takes the place of another."""

PEOPLE = vocabulary(
    """brother sister mother father mom mum dad son daughter cousin uncle aunt niece nephew parent
    parents grandmother grandfather grandma grandpa friend friends colleague colleagues coworker
    co-worker roommate flatmate neighbour neighbor wife husband spouse girlfriend boyfriend
    fiance fiancee fiancé fiancée partner twin sibling siblings kid kids child children family
    boss manager mentor mentee client customer competitor rival sister-company supplier vendor
    cofounder co-founder landlord assistant predecessor successor ex cat dog in-laws
    brother-in-law sister-in-law mother-in-law father-in-law best-friend buddy pal teammate"""
)
"""Whoever is someone else than the subject, though the subject's."""

MANIFOLD = vocabulary(
    """friend sibling brother sister cousin child son daughter parent hobby goal interest skill
    colleague value problem issue concern strength weakness feature idea plan wish dream memory
    story trip book project task customer client partner investor competitor pet cat dog plant
    question point thing part example reason way highlight lesson challenge fear habit talent
    uncle aunt niece nephew neighbour neighbor accomplishment achievement award photo picture
    advice benefit advantage disadvantage tip passion inspiration gift source mistake favourite
    risk note comment opinion feedback experience event visit time day week month year one kid
    room member user engineer developer option step bug ticket result topic use case friend
    course class game song film dish recipe meal post article paper talk student roommate"""
)
"""Nouns of which one has several: another value says nothing against the first."""
