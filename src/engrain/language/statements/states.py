"""States that exclude one another, and the phrases that tell them (`marks` has
how they are written)."""

from __future__ import annotations

STATES = {
    "person": """
diet=vegetarian: vegetarian, veggie, meatless, meat-free, veggie now, no meat, do not eat meat,
    not eat meat, stop eat meat, give up meat, eat no meat
diet=vegan: vegan, plant-based
diet=pescatarian: pescatarian, pescetarian, fish but no meat
diet=meat: omnivore, omnivorous, carnivore, eat meat, meat again, eat everything, eat steak,
    meat-eater, have ~ steak, have ~ burger, have ~ ribs, back to meat, have ~ bacon, eat
    chicken, meat eater, eat anything
carbs=low: keto, ketogenic, low-carb, no carb, paleo
carbs=any: eat everything, eat carb, carb again, eat anything, back on carb
gluten=off: gluten-free, coeliac, celiac, off gluten, no gluten, avoid gluten, without gluten
gluten=eats: eat everything, bread again, eat gluten, gluten again, eat anything, gluten be
    fine, bread included
love=single: call § off, over between, go ~ separate way, call it quits, newly single, on ~ own,
    no longer together, not together, divorce be final, divorce be finalize, divorce, single,
    unattached, not seeing anyone, not see anyone, single again, divorced, separated, separate
    from, split up, split with, split from, break up, broke up, ex-wife, ex-husband, on ~ own
    again, left ~ husband, left ~ wife, leave ~ husband, leave ~ wife, widow, widower, call off
    ~ engagement, widowed, no partner, dumped, part way
love=dating: be together, an item, a couple, boyfriend ~ be, go steady, new flame, girlfriend,
    boyfriend, be date, be seeing, start date, in a relationship, see someone, see somebody, new
    relationship, together with, date
love=engaged: engaged, fiancé, fiancée, fiance, fiancee, got engaged, propose to ~ and, said yes
love=married: get married, married, marry, wed, hitched, wife, husband, spouse, wedding be, tie
    the knot, elope, marriage
baby=expecting: pregnant, expect a, expect ~ baby, expect their, expect her, baby due, due in ~
    with
baby=born: give birth, gave birth, have ~ baby, baby be born, new mum, new mom, new dad, baby
    arrive, had ~ boy, had ~ girl, baby girl, baby boy, be born yesterday
employment=employed: employee, full contract, permanent contract, permanent position, found a
    job, find a job, get the job, get a job, land a job, got a job, new job, hired as, start ~
    new job
employment=seeking: unemployed, jobless, look for a job, look for work, job hunt, job hunting,
    between job, lay off, laid off, out of work, make redundant, made redundant, lost ~ job,
    lose ~ job, let § go, lay § off, fire §, sack §, sacked, fired, get fired, got fired, be
    fired, be let go, quit ~ job, quit without, resign, hand in ~ notice, redundant, on the job
    market, left ~ job, leave ~ job
employment=retired: retired, retire, retirement, pensioner
employment=self: self-employed, freelancer, freelance, freelancing, own business, own company,
    start ~ own, go solo, contractor, contracting, independent consultant, indie
employment=leave: maternity leave, parental leave, paternity leave, on leave, sabbatical, on ~
    leave, parental cover
employment=back: back from, back at work, first day back, return from, returned to work, back at
    ~ desk, back to work, back on the job
study=student: read history, reading, student, undergrad, phd candidate, phd student, in
    college, in grad school, do ~ master, do ~ phd, do ~ degree, study for, first year, second
    year, freshman, sophomore, third year, in ~ year of, final year, study, do ~ mba, write ~
    thesis
study=done: get ~ ba, get ~ bsc, get ~ msc, get ~ phd, get ~ degree, graduate, graduated, finish
    ~ degree, finish ~ master, finish ~ phd, degree in hand, defend ~ thesis, drop out, finish ~
    study, get ~ diploma, got ~ diploma, doctor now, thesis get, finish university, finish
    college
school=kindergarten: kindergarten, preschool, daycare, nursery, kita
school=primary: primary school, elementary school, first grade, first day of school, start
    school, grade school, primary
school=secondary: secondary school, high school, middle school, secondary, gymnasium
school=university: university, college, uni
hours=full: back to 5 day, five day, full-time, fulltime, full time, five day a week, 100%
hours=part: work 4 day, 4 day, work three day, three day, friday off, part-time, parttime, part
    time, four-day week, four day a week, three day a week, 80%, 60%, half day, 4-day week
chronotype=morning: early bird, early riser, morning person, lark
chronotype=night: night owl, late riser, night person, evening person, do not do morning, sleep
    in, sleep late, not do morning, not a morning person
smokes=no: not smoke since, non-smoker, nonsmoker, smoke-free, quit smoke, stop smoke, give up
    smoke, ex-smoker, not smoke, no longer smoke, not touch a cigarette, give up cigarette, quit
    cigarette, kick the habit, last cigarette, not ~ cigarette, off cigarette, smokefree, gave
    up smoking
smokes=yes: smoke, smoker, heavy smoker, a pack a day, light up, cigarette, chain-smoke, smoke
    again
drinks=no: not have a drop, not ~ drop, not touch alcohol, not touch a drink, sober, teetotal,
    not drink, not drink alcohol, give up alcohol, quit drink, stop drink, off the booze,
    alcohol-free, no alcohol, quit alcohol, dry, on the wagon, give up drink, no longer drink
drinks=yes: pilsner, lager, drink wine, drink beer, drink again, drink alcohol, enjoy a beer,
    off the wagon, have a drink, glass of wine, beer with
health=ill: see a physio, physio, therapy, sick, ill, flu, covid, injured, broken, in hospital,
    in bed with, surgery on, crutches, in a cast, wrist, torn, concussion, hospitalised,
    hospitalized, back pain, burnout, burned out, burnt out, sprained, on sick leave
health=well: recover, recovered, cast come off, heal, healed, be over ~ covid, over covid, over
    ~ flu, out of hospital, well again, healthy again, fit again, feel better, all clear, off
    crutches, cured, in remission, back on ~ foot, discharged, released from hospital, fully
    recovered
housing=rents: lodge, lodger, lodge with, rent, tenant, rent a room, rent a flat, flatshare,
    sublet, flatmate, roommate, shared flat, lease, live with ~ parent
housing=owns: own studio, studio of § 's own, place of § 's own, flat of § 's own, buy a house,
    buy a flat, buy an apartment, bought a house, own ~ house, homeowner, buy ~ place, own
    apartment, own flat, own place, mortgage, buy ~ house, buy ~ apartment, buy ~ flat
licence=learning: no licence, not have a licence, not have a driving licence, not have a driver
    licence, learn to drive, driving lesson, no driving licence, do not drive, not drive, can
    not drive
licence=driver: pass ~ test, pass ~ driving test, got ~ licence, get ~ licence, driver licence,
    drive now, drive to work, licence holder
skill=beginner: beginner, learn, take ~ lesson, a1, a2, start to learn, duolingo
skill=advanced: fluent, c1, c2, advanced, b2, pass ~ exam, native level, pass ~ test
gender=she: she/her
gender=he: he/him
gender=they: they/them
hand=left: left-handed
hand=right: right-handed
commute=car: by car, drive to work, commute by car, drive in, take the car
commute=bike: by bike, bike to work, cycle to work, by bicycle, commute by bike, cycle in
commute=train: get the ~ train, the ~ train, by train, take the train, by bus, take the bus, by
    tram, train to work, bus to work, by metro, subway
commute=foot: walk to work, on foot, walk in
coffee=yes: drink coffee, coffee every, coffee first thing, coffee addict, cup a day, espresso
    every, coffee drinker, need ~ coffee
coffee=no: give up coffee, no coffee, quit coffee, off coffee, off caffeine, no caffeine, not
    drink coffee, decaf, stop drink coffee, decaf only, caffeine-free
milk=yes: with milk, milk in
milk=no: black coffee, no milk, without milk, coffee black, take it black
beard=yes: beard, moustache, mustache
beard=no: clean-shaven, shave ~ off, shave off, no beard
car=none: no car, sold ~ car, sell ~ car, without a car, car-free, carless, get rid of ~ car, no
    longer own ~ car
car=has: have a car, drive a, own a car, commute by car, ~ car
parent=none: no kid, no child, childless, childfree, no children
parent=yes: kid, have a baby, become a father, become a mother, have ~ daughter, have ~ son, dad
    of, mum of, mom of, father of, mother of, new dad, new mum, new mom
pet=none: no pet, no dog, no cat, without pet, no longer have a dog, no longer have a cat,
    rehome
""",
    "company": """
pricing=free: free, free of charge, cost nothing
pricing=paid: cost, paid, per month, a month, charge
hiring=yes: !hiring, open position, be hiring, recruit, hire like, on a hiring spree,
    hiring again
hiring=no: hiring freeze, freeze hiring, not hiring, stop hiring, layoff, lay people off, no
    longer hiring, froze hiring, lay off, job cut, cut job, let people go, pause hiring, no open
    role
capital=bootstrapped: not raise, not raise any, no outside investor, bootstrapped, no investor,
    self-funded, self-financed, no outside money, without investor
capital=seed: announce ~ seed, raise ~ seed, a seed, seed, pre-seed, seed-stage, seed round,
    angel
capital=a: series a
capital=b: series b
capital=c: series c
capital=d: series d
capital=public: float in, floated, ipo, go public, went public, publicly traded, publicly
    listed, listed on, ticker, public company, list on, float on, ipo'd
capital=pe: private equity, buyout
listing=private: unlisted, not listed, not public, private, privately held, family owned,
    family-owned, privately owned, private company
listing=public: float in, floated, float, go ~ public, stock market debut, ipo, ipo'd, go
    public, publicly traded, publicly listed, public company, ticker, listed on, list on
independence=own: independent, family owned, family-owned, bootstrapped, standalone,
    founder-owned
independence=sold: acquire by, acquired, belong to, subsidiary, buy by, bought by, part of, take
    over by, merge with, merge into, merger, absorb by, owned by, sold to, sell to, swallow by
operation=going: operate, in business, trade as usual, fly from
operation=closed: bankrupt, bankruptcy, insolvent, insolvency, close down, closed down, shut
    down, out of business, went under, go under, wind down, wound up, ceased trading, cease
    operation, liquidation, liquidate, shutter, dissolved, go bust, chapter 11, administration,
    folded, no longer exist, close shop, close its door
customer=prospect: prospect, lead, no contract, in talk with, evaluate ~ us, trial, pipeline,
    negotiation, free trial, pilot customer
customer=yes: customer, client, sign, signed, two-year contract, subscribe, subscriber, account,
    buy from us, contract signed, renew, paying, signed contract, closed-won
customer=no: churn, churned, cancelled ~ contract, cancel ~ contract, no longer a customer,
    ex-customer, former customer, not renew, did not renew, lost account, terminate ~ contract,
    left us, closed-lost, leave us
testing=beta: beta tester, in beta, test our, pilot, evaluate
testing=live: go live with, went live with, live with, in production with, roll out to all
profit=yes: profitable, in the black, break even, broke even, make money, breakeven
profit=no: unprofitable, loss-making, in the red, lose money, burn cash, not profitable, loss
freetier=yes: free tier, free plan, freemium
freetier=no: kill ~ free tier, no free tier, drop ~ free tier, no free plan, paid only, remove ~
    free plan, end ~ free tier
currency=eur: euro, eur, in euro
currency=usd: dollar, usd, in dollar
currency=gbp: pound, gbp, sterling
dress=formal: suit, dress code
""",
    "project": """
checks=manual: test manually, manually test, test by hand, manual test, no test
checks=automatic: automate test, automatic test, test suite, test be automate, unit test, e2e
    test
deploys=manual: deploy by hand, manual deploy, deploy manually, ssh
deploys=automatic: deploy pipeline, continuous delivery, continuous deployment, deploy
    automatically, auto-deploy
stage=idea: draft, rfc stage, idea, concept, on paper, whiteboard, discovery, not started, not
    start, planning phase, planning, proposal stage, in planning
stage=design: prototype, in design, mockup, poc, proof of concept, spike
stage=building: work on ~ resume, has resumed, in development, under development, in progress,
    wip, under way, underway, in flight, be build, half done, full swing, active development,
    kick off, in the making, be work on, implementation, under construction, in full swing,
    resume, resumed, active, active again, pick up again, back on, revived, in build, restart,
    restarted
stage=alpha: alpha, in alpha
stage=beta: beta, in beta, private beta, public beta, closed beta, open beta, beta test, beta
    tester, pilot phase, soft launch
stage=live: ga, !live, shipped, launch, launched, ship, in production, production, in prod,
    generally available, go live, went live, be released, released, complete, completed, done,
    finish, finished, delivered, wrapped up, wrap up, out the door, out of beta, leave beta,
    rolled out, generally availability, stable
stage=paused: on hold, paused, pause, frozen, parked, shelved, shelve, on ice, back burner,
    backburner, suspended, mothballed, put aside, deprioritised, deprioritized, stalled,
    dormant, freeze, park, standstill
stage=dead: cancelled, canceled, cancel, killed, kill, scrap, scrapped, axed, axe, discontinued,
    discontinue, be sunset, sunsetted, abandoned, abandon, dead, defunct, called off,
    decommissioned, binned, archived, wound down, pulled the plug, pull the plug, terminated,
    shut down, shutdown, no longer maintained, end of life, eol, written off, deprecated,
    retired
progress=blocked: blocked, stuck, wait for, wait on, awaiting, await, on the vendor, held up,
    hold up, blocker, depend on, pending, block on
progress=free: unblocked, unblock, unstuck, come through, came through, no blocker, green light,
    cleared, resolved, approved, sign off, signed off, passed, go-ahead, greenlit, got approval,
    approve, signed ~ off, sign ~ off, pass
schedule=late: behind, week behind, behind schedule, delayed, late, slipping, overdue, at risk,
    run late, over budget, day behind
schedule=fine: on track, on schedule, caught up, catch up, ahead of schedule, on time, back on
    track, in time, ahead of plan
health_flag=green: green
health_flag=yellow: yellow, amber
health_flag=red: red
ownership=none: no owner, owner tbd, unowned, tbd, nobody own, no one own, owner wanted,
    unassigned, no lead, without ~ lead, vacant
ownership=some: have an owner, now has an owner, take over, own by, lead by
switch=on: enabled, switched on, turned on, switch on, turn on, enable, flag on, mandatory,
    required
switch=off: disabled, switched off, turned off, switch off, turn off, disable, !off in, flag
    off, optional, opt-in, be off
theme=dark: dark mode, dark theme
theme=light: light mode, light theme
tenant=single: single-tenant
tenant=multi: multi-tenant, multitenant
method=waterfall: waterfall
method=scrum: scrum, sprint
method=kanban: kanban
updown=down: be down, offline, unreachable, broken
updown=up: be back up, back up, back online, up again, up and running, reachable
draft=draft: draft
draft=final: accepted, accept, final, finalised, finalized, published
arch=monolith: monolith, monolithic
arch=services: microservice, micro-service
tenancy=monorepo: monorepo, mono-repo
tenancy=multirepo: multirepo, polyrepo, separate repo, split repo, own repo
mobile=ios: ios only, iphone only
mobile=both: android app, ios and android, both platform
""",
    "": """
cadence=daily: daily, every day, each day, every morning
cadence=twice: twice a week, twice weekly, tue + thu, two times a week
cadence=weekly: weekly, every week, once a week, per week, each week, every monday, every
    tuesday, every wednesday, every thursday, every friday
cadence=biweekly: every second friday, every second monday, every second tuesday, every second
    wednesday, every second thursday, every second week, twice a month, biweekly, bi-weekly,
    fortnightly, every two week, every other week, two-week, every 2 week, 2-week
cadence=triweekly: every three week, three-week, 3-week
cadence=monthly: monthly, once a month, every month, each month, four-week
cadence=quarterly: quarterly, every quarter, once a quarter, every three month
cadence=yearly: yearly, annual, annually, once a year, every year
cadence=demand: on demand, continuous, continuously, ad hoc, ad-hoc, as needed, async, whenever,
    no fixed
shift=night: night shift, on night, work night, late shift
shift=day: day shift, on day, back on day, early shift, work day
work_mode=remote: fully remote, work remote, remotely, remote-first, wfh, from home, remote
    worker, remote only, remote, work from home, all remote, everyone remote, no office, work
    from anywhere, close the office
work_mode=hybrid: day remote, day remote allow, day from home, day home office, day at home,
    home office on, hybrid, day in the office, day a week in, day in office, day onsite, office
    on, day on site, day per week in
work_mode=office: at ~ desk, back at ~ desk, everyone back at, five day on site, no more home
    office, all hands on site, in-office, onsite, on-site, in person, in-person, back to office,
    back in the office, return to office, rto, office five day, full-time office, five day in,
    every day in the office, office-based, back to the office, in the office every
openness=open: open-source, open source, open-sourced, oss, source available
openness=closed: internal, confidential, closed source, closed-source, proprietary
access=public: public repo, public api, open to everyone, open to the public, public beta
access=internal: internal only, private repo, invite-only, internal
""",
}
"""By the type of entity of which they are said, "" for any: the aspect, a state of it, phrases."""
