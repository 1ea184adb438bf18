"""Pairs of statements about one subject, the later second, as people word such things.

`OVER`: the earlier holds no longer. `BOTH`: both may hold. `SAME`: the later says nothing else.
"""

from __future__ import annotations

OVER, BOTH, SAME = "over", "both", "same"

# subject | earlier | later
_OVER = """
Maya | Maya is a backend engineer at Stripe. | Maya has been with Figma since spring.
Maya | Maya is a product designer at Shopify. | Maya quit Shopify last Friday.
Maya | Maya works for Deloitte. | Big news: Maya started at a climate startup called Terrawatt.
Ken | Ken is employed by Siemens. | Siemens let Ken go in the restructuring.
Ken | Ken works at the Guardian. | Ken got poached by the Financial Times.
Ken | Ken works as a nurse at St Mary's. | Ken has retired.
Priya | Priya is a data analyst. | Priya got promoted to head of analytics.
Priya | Priya's job title is junior developer. | Priya is a senior developer now.
Priya | Priya works as a waitress. | Priya became a paramedic.
Tom | Tom lives in Berlin. | Tom moved to Lisbon with his family.
Tom | Tom lives in Leeds with two flatmates. | Tom packed up and relocated to Bristol in March.
Tom | Tom's home is in Austin. | Tom left Austin for good.
Tom | Tom is based in Toronto. | These days Tom lives in Halifax.
Tom | Tom lives in Paris. | Tom has settled in Marseille.
Ana | Ana is single. | Ana and Luis tied the knot in Cadiz.
Ana | Ana is married to Luis. | Ana's divorce was finalized in May.
Ana | Ana is dating Marco. | Ana broke up with Marco.
Ana | Ana is engaged. | Ana called off the engagement.
Ben | Ben is a vegetarian. | Ben eats meat again.
Ben | Ben eats meat. | Ben went vegan in January.
Ben | Ben is vegan. | Ben isn't vegan anymore.
Ben | Ben smokes a pack a day. | Ben quit smoking.
Ben | Ben drinks coffee every morning. | Ben doesn't drink coffee any more.
Ben | Ben loves running. | Ben has gone off running.
Ben | Ben plays the drums in a band. | Ben sold his drums.
Lea | Lea drives a Prius. | Lea traded in the Prius for a Rivian.
Lea | Lea has a black cat named Miso. | Lea had to rehome Miso; Lea no longer has a cat.
Lea | Lea uses Notion for her notes. | Lea ditched Notion and keeps everything in Obsidian.
Lea | Lea's favourite film is Alien. | Lea's new favourite film is Arrival.
Lea | Lea goes to yoga on Tuesdays. | Lea stopped going to yoga.
Lea | Lea is allergic to peanuts. | Lea has outgrown her peanut allergy.
Lea | Lea takes the bus to work. | Lea now cycles to work.
Lea | Lea is studying chemistry at Leiden University. | Lea changed majors from chemistry to law.
Lea | Lea banks with Barclays. | Lea banks with Monzo now.
Lea | Lea reports to Karen Holt. | Since the reorg Lea reports to Sam Ortiz.
Lea | Lea's boss is Karen. | Lea has a new boss: her manager is Dev now.
Lea | Lea's phone number is 555-0134. | Lea's phone number is 555-0199 now.
Lea | Lea's email is lea@old.example. | Lea's email changed to lea@new.example.
Lea | Lea is a night owl. | Lea has become an early riser.
Lea | Lea works remotely. | Lea is back in the office full-time, no longer remote.
Lea | Lea doesn't drive. | Lea drives now.
Lea | Lea hates sushi. | Lea loves sushi.
Lea | Lea is 29 years old. | Lea turned 30.
Lea | Lea wakes up at 7. | Lea gets up at 5:30 now.
Acme | Acme is headquartered in Berlin. | Acme moved its head office to Munich.
Acme | The CEO of Acme is Jane Doe. | Raj Patel took over as CEO of Acme.
Acme | Acme has 120 employees. | Acme has grown to 200 people.
Acme | Jane Doe runs Acme as its CEO. | Jane Doe stepped down as CEO of Acme.
Acme | Acme is valued at $2B. | Acme's valuation dropped to $900M.
Acme | Acme is privately held. | Acme is now publicly traded.
Acme | The Acme Pro plan costs $20 a month. | The Acme Pro plan costs $25 a month now.
Acme | Acme's office is on Market Street. | Acme's office moved to Howard Street.
Acme | Acme uses Slack. | Acme switched from Slack to Teams.
Acme | Acme sells scooters. | Acme discontinued scooters.
Acme | Acme is an independent company. | Acme was acquired by Globex.
Atlas | Atlas runs on Postgres. | We migrated Atlas off Postgres to CockroachDB.
Atlas | Atlas is written in Python. | Atlas was rewritten from Python to Go.
Atlas | Atlas is hosted on Heroku. | Atlas -> Fly.io, Heroku is gone.
Atlas | Atlas's deadline is March 3. | Atlas deadline slipped to April 17.
Atlas | The launch of Atlas is set for 3 May. | Launch got pushed to the 20th of June.
Atlas | Atlas is in development. | Atlas shipped last week.
Atlas | Atlas is on track. | Atlas got cancelled.
Atlas | Tom Reed leads Atlas. | Atlas was handed over to Mia Chen.
Atlas | The owner of Atlas is Tom. | Owner: Mia
Atlas | The budget of Atlas is $50k. | Budget for Atlas was cut to $30k.
Atlas | The Atlas standup is at 9:30. | The Atlas standup moved to 10:15.
Atlas | The Atlas team syncs weekly. | The Atlas team syncs monthly now.
Atlas | Atlas uses Jenkins for CI. | Jenkins was replaced by GitHub Actions in Atlas.
Atlas | Atlas is on Python 3.9. | Atlas was upgraded to Python 3.12.
Atlas | Atlas's repository lives on GitHub. | The Atlas repo moved to GitLab.
Atlas | Atlas tracks bugs in Jira. | Atlas tracks bugs in Linear instead of Jira.
Atlas | Atlas supports Internet Explorer. | Atlas dropped support for Internet Explorer.
Atlas | Atlas is licensed under MIT. | The license of Atlas changed to Apache 2.0.
Atlas | Dark mode is enabled in Atlas. | Dark mode is disabled in Atlas.
"""
_BOTH = """
Maya | Maya works at Stripe. | Maya gave a talk at Figma.
Maya | Maya works at Stripe. | Maya interviewed at Figma.
Maya | Maya works at Stripe. | Maya used to work at Google.
Maya | Maya works at Stripe. | Maya's brother works at Google.
Maya | Maya works at Stripe. | Maya is thinking about leaving Stripe.
Maya | Maya works at Stripe. | Maya worked at Google before joining Stripe.
Maya | Maya works at Stripe. | Maya also teaches at a bootcamp on the side.
Maya | Maya works at Stripe. | Maya left the Stripe party early.
Maya | Maya works at Stripe. | Maya works on the payments team.
Maya | Maya works at Stripe. | Maya turned down an offer from Figma.
Maya | Maya is an engineer. | Maya is a backend engineer.
Maya | Maya is a teacher. | Maya is a mother of two.
Tom | Tom lives in Berlin. | Tom is visiting Lisbon this week.
Tom | Tom lives in Berlin. | Tom grew up in Munich.
Tom | Tom lives in Berlin. | Tom lives in Germany.
Tom | Tom lives in Berlin. | Tom is moving to Lisbon next year.
Tom | Tom lives in Berlin. | Tom's parents live in Hamburg.
Tom | Tom lives in Berlin. | Tom would love to live in Japan some day.
Tom | Tom lives in Berlin. | Tom stayed in Rome for three weeks.
Tom | Tom lives in Brooklyn. | Tom lives in NYC with a dog.
Tom | Tom lives in Berlin. | Tom was born in Vienna.
Tom | Tom lives in Berlin. | Tom bought a cabin near Oslo for the summers.
Ana | Ana is married to Luis. | Ana went to Marco's wedding.
Ana | Ana is married. | Ana's sister is single.
Ana | Ana is married to Luis. | Ana works with Marco.
Ben | Ben is vegetarian. | Ben opened a vegan restaurant.
Ben | Ben is vegetarian. | Ben's wife eats meat.
Ben | Ben likes tea. | Ben likes coffee too.
Ben | Ben likes jazz. | Ben hates opera.
Ben | Ben drinks coffee every morning. | Ben drinks tea in the evening.
Ben | Ben speaks French. | Ben speaks Spanish.
Ben | Ben speaks French. | Ben is learning Italian.
Ben | Ben has a dog named Rex. | Ben has a cat named Tiger.
Ben | Ben has a dog named Rex. | Ben got a second dog.
Ben | Ben is allergic to nuts. | Ben is allergic to cats.
Ben | Ben plays tennis. | Ben plays chess on Sundays.
Ben | Ben's sister is Ann. | Ben's sister is Beth.
Ben | Ben's favourite film is Alien. | Ben's favourite book is Dune.
Ben | Ben loves running. | Ben didn't run yesterday because of the rain.
Ben | Ben drinks coffee. | Ben doesn't drink coffee after lunch.
Lea | Lea drives a Tesla. | Lea rented a van for the weekend.
Lea | Lea uses Notion for notes. | Lea uses Linear for tasks.
Lea | Lea uses Vim. | Lea tried VS Code for a week.
Lea | Lea goes to yoga on Tuesdays. | Lea goes swimming on Thursdays.
Lea | Lea reports to Karen. | Karen reports to the CFO.
Lea | Lea is studying law. | Lea studied chemistry before.
Lea | Lea reads a book a week. | Lea finished reading Dune.
Lea | Lea wants to quit her job. | Lea got a raise.
Lea | Lea has two children. | Lea has three cats.
Lea | Lea is afraid of flying. | Lea flew to Rome in June.
Acme | Acme raised $5M in seed funding. | Acme raised $20M in its Series A.
Acme | Acme is headquartered in Berlin. | Acme opened an office in Munich.
Acme | The CEO of Acme is Jane Doe. | The CTO of Acme is Raj Patel.
Acme | Acme has 120 employees. | Acme hired 20 engineers this quarter.
Acme | Acme has 120 employees. | Acme has 15 people in sales.
Acme | Acme sells scooters. | Acme sells helmets.
Acme | Acme uses Slack. | Acme's client uses Teams.
Acme | Acme was founded in 2012. | Acme went public in 2020.
Acme | Acme is a customer of Globex. | Acme is a partner of Initech.
Acme | Acme makes payroll software. | Rumour has it Acme may be acquired by Globex.
Atlas | Atlas runs on Postgres. | Atlas caches sessions in Redis.
Atlas | Atlas runs on Postgres. | The tests of Atlas use SQLite.
Atlas | Atlas is written in Python. | The Atlas frontend is in TypeScript.
Atlas | Atlas runs on Postgres. | We considered moving Atlas to MySQL but decided against it.
Atlas | Atlas's deadline is March 3. | The beta of Atlas is due on February 1.
Atlas | Atlas's deadline is March 3. | Atlas kickoff was January 10.
Atlas | Atlas is in development. | The Atlas landing page shipped.
Atlas | Tom leads Atlas. | Mia joined the Atlas team.
Atlas | Tom leads Atlas. | Mia leads design on Atlas.
Atlas | The Atlas standup is at 9:30. | The Atlas retro is at 16:00.
Atlas | The budget of Atlas is $50k. | Atlas spent $12k on ads.
Atlas | Atlas's deadline is March 3. | The client asked if the deadline could move to April.
Atlas | Atlas uses Jenkins for CI. | Did Atlas drop Jenkins?
Atlas | Atlas is on track. | Atlas has four open risks.
Atlas | Atlas supports Firefox. | Atlas supports Chrome as well.
"""
_SAME = """
Maya | Maya works at Stripe. | Maya is employed by Stripe.
Maya | Maya works at Stripe as a designer. | Maya works at Stripe.
Tom | Tom lives in New York City. | Tom lives in NYC.
Tom | Tom lives in Berlin. | Tom currently resides in Berlin.
Ana | Ana is married to Luis. | Luis is Ana's husband.
Ben | Ben is a vegetarian. | Ben is vegetarian.
Ben | Ben doesn't drink coffee. | Ben does not drink coffee.
Ben | Ben has two kids. | Ben has 2 children.
Lea | Lea's favorite film is Alien. | Lea's favourite movie is Alien.
Acme | Acme Corp's CEO is Jane Doe. | Jane Doe is the CEO of Acme.
Acme | Acme has 120 employees. | Acme employs 120 people.
Acme | Acme is headquartered in Berlin. | Acme is based in Berlin.
Atlas | Atlas's deadline is March 3. | The deadline of Atlas is 3 March.
Atlas | Atlas runs on PostgreSQL. | Atlas runs on Postgres.
Atlas | Atlas is on hold. | Atlas is currently paused.
"""

PAIRS = [
    (*map(str.strip, line.split("|")), label)
    for label, lines in ((OVER, _OVER), (BOTH, _BOTH), (SAME, _SAME))
    for line in lines.strip().splitlines()
]
