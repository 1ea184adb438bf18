"""By which phrases a clause is meant as it is, and by which it says that something is over.

Each entry is a meaning and its phrases, a line that is set in goes on with the one before. A phrase
matches by its words without inflections; a word after `!` only as it stands, `~` stands for up to
two words, `§` for the subject. Where two overlap the longer counts, so that a phrase of the meaning
`-` keeps a shorter one from being read. What is not listed is only not understood.
"""

from __future__ import annotations

MARKS = """
-: no longer want, abandon the idea of, gave up the idea of, drop to, !dropped to, open to
    everyone, open to all, open to the public, on leave, sick leave, maternity leave, annual
    leave, parental leave, paternity leave, out of office, be out of office, out sick, be out
    sick, out today, be out today, leave open, left open, live up to, work phone, close a
    series, close a round, close a deal, close ~ funding, open ~ office, by the way, new year,
    new york, new zealand, go on tour, drop in, drop by, drop off, cut out for, over the
    weekend, over christmas, over the summer, over lunch, over coffee, leave early, leave for,
    left for, left early, leave the party, leave ~ meeting, birthday party, birthday dinner,
    birthday cake, close to, in use, stop by, stop in, pass by, left hand, no doubt, no wonder,
    no problem, no matter, not only, not just, not to mention, as soon as, back pain, back door,
    come back, came back, turn into a, fast forward
hedge: in the novel, in a novel, in the book, in a dream, in the film, in the game, in the play,
    in the story, test-drive, test-drove, be propose, look at, might, maybe, perhaps, possibly,
    probably, could, would, should, if, unless, whether, wonder, wish, hope, consider, think of,
    think about, thought about, dream of, rumour, rumor, !rumoured, supposedly, reportedly,
    allegedly, likely, unlikely, tempted, toy with, mull, weigh, want, look into, interview,
    interview with, apply to, apply for, apply at, joke, imagine, pretend, in talk, talk to,
    discuss, propose to, propose that, proposal, suggest, debate, evaluate, explore, trial, try,
    test out, !piloting, in pilot, did a pilot, experiment, not sure, unsure, unclear,
    uncertain, some day, someday, one day, eventually, offer from, offer by, !offered, turn
    down, reject, refuse, almost, nearly, read about, hear of, hear about, ask about, ask for,
    ask if, ask whether, curious, interested in, recommend, threaten, worry, worried, expect to,
    expect that, expected to, believe, !guess, assume, argue, pitch, aim, goal, ideally,
    potential, potentially, open to, ready to, willing to, !may have, !may be, !may move, !may
    go, hearsay, someone say, somebody say, they say, word be, apparently ~ might, play with,
    tinker with, play around, experiment with, not decide, undecided, in theory, scenario,
    hypothetically, or maybe, could be, as if, dabble, fancy, keen to, would like, would love,
    keep an eye, to be confirm, need to check, not confirm, unconfirmed, long-term, gossip,
    think out loud, idea, thinking, pilot test
ahead: be go to, !will, go to be, plan, intend, intent, upcoming, soon, tomorrow, next week,
    next month, next year, next quarter, next spring, next summer, next autumn, next fall, next
    winter, next sprint, later this year, in the future, about to, !shall, !gonna, prepare to,
    gear up, slated, by the end of, roadmap, on the roadmap, look to, seek to, scheduled to, set
    to, !leaves in, !joining in, !is moving, !is leaving, !is joining, !is switching, !are
    moving, !are switching, !is retiring, !is selling, !is buying, !moving in, from next, to be
    ~ by, will ~ be, phase out by, in two week, in a month, once ~ approve, if all go well, not
    yet, start next
past: used to, formerly, previously, back then, back when, back in, once, as a kid, as a child,
    as a teenager, as a student, ago, grow up, raise in, at the time, in those day, originally,
    initially, in the past, before that, before join, before move, before then, previous,
    former, ex, at first, in college, in high school, in school, at university, first job,
    growing up, in ~ twenty, in ~ youth, alumni, alum, years back, old job, around 2, come from,
    in ~ day, for two year, for three year, for five year, for ten year
once: this morning, this afternoon, tonight, last night, yesterday, today, this evening, on her
    birthday, on his birthday, on the train, at the party, for her flight, for his flight, this
    time
while: easter, because ~ crash, while ~ crash, visit, trip, vacation, holiday, honeymoon,
    conference, offsite, retreat, for the week, for the weekend, for the summer, for the winter,
    for the month, for the day, for the night, for the time being, this week, this weekend, last
    weekend, on business, travel, for a day, for a week, for a month, for a few, for a couple,
    for a bit, for a while, temporarily, temporary, until, till, stopover, layover, guest,
    keynote, speak at, cover for, fill in, stand in, acting, interim, on loan, one-off, borrow,
    rent ~ on, rental, during, stay with, stay at, house-sit, sublet, second to, secondment,
    give a talk, talk at, attend, meet with, fly to, flew to, pass through, drop by, stop by,
    sick leave, out sick, occasionally, sometimes, now and then, once in a while, from time to
    time, for dinner, for lunch, at a party, at a wedding, for christmas, christmas, weekend
    trip, came into, come into, today only, this once, this sprint, ooo, out of office,
    workshop, fair, summit, hackathon, demo, locally, cover, while ~ be, for the holiday, on
    tour, loan, loaner, week with, test drive, only today, for now
add: also, too, as well, another, in addition, additionally, besides, on top of, alongside, on
    the side, side project, side gig, side hustle, moonlight, extra, backup, secondary, second,
    additional, both, part-time job, volunteer, advise, advisor, advisory, board, plus, remain,
    continue, keep, add, not only, occasional, along with, holiday home, summer house, mirror,
    in parallel, more, still, other than, join by, co-lead, except
now: go over to, convert to, be convert, upgrade to, pivot to, jump ship, a convert, from here
    on, henceforth, update on, heads up, news from, big news, breaking, in case you miss it, for
    a change, settle for, settle on, go with, went with, opt for, be on to, on to, over to,
    ended up with, traded up to, treat ~ to, now, !moved, !moves, appoint, name ~ as, hire ~ as,
    enter, the nod, resume, bring back, take on, revise, crash to, climb to, rise to, fall to,
    drop to, shrink to, balloon to, swell to, reschedule, as from, redraw, redesign, rewrite,
    rebuild, rebrand, rework, rename, repaint, learn to, can now, open up, restore, take over
    by, !went, fixed, lift, moved up, step up, from this year, from this month, from next,
    elect, tip into, cross over, cut over, cut over to, adopt, replace, nowadays, these day,
    currently, at present, at the moment, presently, as of, since, lately, recently, !new,
    newly, latest, instead, no longer, anymore, switch, change, become, has be, turn, swap,
    finally, officially, from now on, go forward, effective, correction, correct, actually, turn
    out, meanwhile, by now, end up, promote, transfer, up to, down to, →, bump, slip, push,
    again, back, already, got, update, upgrade, take over, migrate, relocate, decide, went, have
    go, have move, have leave, fully, in the meantime, turns out, rather than, instead of,
    postpone, delay, bring forward, raise, cut, lower, grow, shrink, hit, reach, go up, the
    switch, the move, the change, this year, since then, hand to, hand over, inherit, win, got
    marry, just, succeed, it be, slide, extend, shift, for good, long since, happy with, took
    on, do everything, do it all, in full swing, all in, at last
part: spend, so far, !supports, !supported, !supporting, compatible with, integrate with, import
    from, export to, test on, sponsor, order, partly, partially, part of the, one of, some of,
    half of, most of, a few of, experiment, for client, for a client, for customer, invest, save
pending: need, wait for, wait on, await, pending, missing, no ~ yet, not yet, still no, block
    on, blocked by, look for, hunt for, search for, to do, todo, open question, tbd, owe,
    outstanding, seek, be due for, apply, vacant, unresolved, in review, under review, run out
    in, expire in, be broken, broken, flaky, fail, bug, leak, crash, still open, waiting, trying
    to get
settled: deliver, come in, turn up, land, go through, nod, ok, thumbs up, out of the way,
    through, pass, start, begin, sign, approve, arrive, come through, fix, fixed, merge, !found,
    finish, close, complete, ready, resolve, !got, grant, done, clear, hire, fill, in place,
    extend, renew, secure, solve, repair, work again, sort out, sorted, decide, settle, accept,
    now has, now have, has an, have an
deny: not, never, nor, without, neither, hardly, barely, zero, no
"""
"""How a clause is meant: thought of (`hedge`), to come, once so, for a while, at one time (`once`),
besides other things (`add`), of a part only, as it is now, denied, still wanted (`pending`), or as
what was wanted and came (`settled`)."""

ENDS = """
end_after: be off, have go off, pack up in, clear out of, check out of, part company with, hang
    up ~ boots, opt out, turn ~ back on, fall out of love with, lapse on, move on from, wave
    goodbye to, kiss goodbye to, cut tie with, call it quits with, call it a day at, leave ~
    behind, bail on, bail out of, walk out on, bow out of, no longer, get over, got over, prefer
    ~ over, return, be out at, pull out of, farewell at, farewell drinks at, last day at, last
    day with, leaving do at, leaving party at, move out, leave, quit, drop, ditch, abandon, give
    up, give up on, stop, stop using, cease, discontinue, cancel, scrap, axe, kill, kill off,
    !sold, sell off, trade in, !traded, !swapped, swap out, get rid of, lose interest in, swear
    off, take § off, wipe, uninstall, delist from, collapse, pull the plug on, hand back, step
    back from, stepped back from, take voluntary redundancy from, abandon the idea of, brought
    back, exit, let ~ lapse, out at, the back of, rid of, move off, move off of, move away from,
    move out of, move from, moved from, migrate off, migrate away from, migrate from, migrate
    out of, switch off, switch away from, switch from, come off, retire, decommission,
    deprecate, remove, rip out, rip, tear out, shut down, shut, close down, !closed, resign
    from, step down as, step down from, depart, part way with, break up with, split from, split
    with, split up with, divorce, unsubscribe from, delete, replace, outgrow, go off, cut out,
    !kicked, done with, be through with, finish with, phase out, dump, bin, let go of, let go,
    donate, give away, wreck, total, shelve, back out of, walk away from, say goodbye to, wean
    off, wind down, !ended, terminate, dissolve, revoke, !lifted, withdraw from, drop out of,
    roll back, revert, rehome, call off, had enough of, so much for, fall out with, cure of,
    recover from, instead of, rather than, in place of, no more, went from, rewrite from, port
    from, throw out, disband, turn off, disable, opt out of, vacate, move over from, upgrade
    from, downgrade from, away from, goodbye to, bye, rip to, farewell to, stay away from, put
    down, hand off, hand over, !handed, pass on, allergic no, fire, sack, free of, clear of,
    churn from, not renew, stand down as, stood down as, resign as, sign off from, step away
    from, take leave of, hang up, have ~ enough of, part from, stop go to, unlearn, grow tired
    of, lapse, fell out of love with, withdraw, outsource, pivot from, pivot away from, change
    from, !banned, forbid, weary of, tire of, bored of, bored with, sick of, fed up with, cool
    on, grow out of, cast off, put an end to, retire from, unfollow, wrap up, let lapse, left
    behind, leave behind
end_within: take ~ off, pass ~ on, let ~ lapse, rip ~ out, hand ~ over, hand ~ back, hand ~ on,
    throw ~ out, turn ~ off, give ~ up, put ~ down, lay ~ off, shut ~ down, sell ~ off, trade ~
    in, swap ~ out, switch ~ off, phase ~ out, call ~ off, close ~ down, tear ~ out, cut ~ out,
    send ~ back, give ~ away, write ~ off, wind ~ down, pull ~ out, take ~ out of, drop ~ from,
    take ~ off the list, leave ~ behind, kill ~ off, cancel ~ with, cross ~ out
end_before: get steal, be steal, be let, be spend, be read-only, change hands, be sublet, pack
    up, be put down, be off the table, be water under the bridge, be kick out, bite the dust, go
    the way of, be no more use, run dry, dry up, be axe, peter out, be long go, be done, be
    through, go separate ways, go ~ separate ways, collapse, fizzle out, be all over, crash out,
    be wiped out, have dissolve, lie idle, be out, be go, be over, be history, be dead, be do
    for, be in the past, stand down, run out, break up, split up, die, pass away, expire, lapse,
    fall through, have go, come off, be replace by, be replace with, replace by, replace with,
    be drop, be ditch, be scrap, be cancel, be kill, be remove, be retire, be discontinue, be
    decommission, be deprecate, be shut down, be shutter, be sell, be rip out, be disband, be
    dissolve, be terminate, be revoke, be lift, be call off, be turn off, be switch off, be end,
    be phase out, be let go, be lay off, be replace, be stop, go away, step down, step back,
    step aside, take ~ place, make way for, give way to, clear up, heal, wear off, be behind,
    lie behind, bounce, be disconnect, be down, close down, shut down, fold, cease, be closed,
    be finish, be complete, is through, be abandon, be wind down, get axe, get kill, get drop,
    get cancel, get scrap, get replace, be overturn, be roll back, be revert, be swap out, be
    supersede, go bust, go under, be sunset, do not work anymore, be obsolete, be cure, be go
    now, didn't last, do not last, fell apart, fall apart, be ancient history, no longer work,
    no longer exist, do not exist, be toast, !gone, be hand over, hand over to, left in, be wind
    up
"""
"""That something is over: what stands after the phrase, before it, or within."""
