"""By which phrases a relation is told whose value stands beside them (`marks`
has how they are written)."""

from __future__ import annotations

CUES = """
works_at: jump ship to, head to, move over to, switch to ~ as, be off to, new gig at, on board
    at, in at, with ~ team at, work at, work for, employ by, employ at, join, start at, over at,
    hire by, position at, job at, gig at, poach by, land at, employer, workplace, sign with,
    work with ~ as, jump to, defect to, move to ~ as, be at, !at, be with, begin at, role at,
    start a job at, contract for, on the payroll of, new job at, back at
lives_in: find a place in, found a place in, new digs in, digs in, put down roots in, set up
    home in, be over in, hole up in, pitch up in, up sticks to, find a flat in, live in, live
    at, based in, base in, base out of, home be, home, hometown, reside in, reside, relocate to,
    relocate, move to, move in, move back to, settle in, settle, apartment in, flat in, house
    in, place in, room in, headquarter in, headquarter, hq, head office, main office, seat, seat
    in, address, resident of, move over to, bought in, flat, apartment, live, emigrate to, move
    HQ to, move headquarter to, new place in, buy a house in, house, rent in, locate in
job_title: title, step up to, move up to, rise to, take over as, elect, elevate to, made, make
    partner, be make, now, position, role, job title, promote to, job, work as, be a, become,
    profession, occupation, be an, be name, be appoint, step into
reports_to: report to, report into, manager, boss, supervisor, line manager, manage by, answer
    to
manages: manage, supervise, direct report
partner: married to, husband, wife, partner, girlfriend, boyfriend, fiancé, fiancée, fiance,
    fiancee, spouse, date, seeing, engaged to, go out with
studies_at: study at, student at, attend, enrol at, enroll at, school, university, college,
    transfer to, be at, master at, degree at, start at, major at
studies: study, major, major in, degree in, student, master in, read
birthday: birthday, bday, born on, birth date, date of birth, dob, turn
born_in: born in, birthplace, native of, hail from
phone_number: phone, mobile, cell, number, tel, call, phone number, telephone, handy
email: email, e-mail, mail, address, inbox
speaks: speak, language, fluent in
likes: like, love, enjoy, fan of, fond of, into, adore, keen on
dislikes: hate, dislike, can not stand, detest, loathe
prefers: prefer
favourite: favourite, favorite, fave
allergic_to: allergic to, allergy, intolerant
ceo: ceo, chief executive, chief executive officer, managing director, run ~ as ceo, chief exec,
    md, at the helm, helm
cto: cto, chief technology officer, tech chief
cfo: cfo, chief financial officer, finance chief
coo: coo, chief operating officer
chair: chair, chairman, chairwoman, chairperson
founder: founder, found by, cofounder, co-founder
founded: found in, est, establish, founded, start in
headcount: team of, employ, employee, headcount, staff, people, team size, workforce, head,
    person, engineer, dev, developer, fte
price: price, cost, per month, per seat, per user, !/mo, a month, per year, a year, charge, fee,
    subscription, plan
valuation: valuation, value at, worth
funding: raise, fund, seed, series, investor, round
revenue: revenue, arr, mrr, turnover
owned_by: own by, subsidiary of, belong to, acquire by, buy by, part of, parent company, take
    over by
owner: be in charge of, look after, steer, take care of, be on the hook for, hand ~ over to,
    lead, lead by, owner, own by, maintain by, maintainer, pm, product owner, project manager,
    project lead, tech lead, in charge, run by, head, head by, run, own, take over, hand to,
    hand over to, drive by, responsible for, point person, dri, inherit, hand ~ to, pass to,
    belong to, look after by, handle by
sponsor: sponsor, champion
deadline: deadline, due, due date, deliver by, delivery, cutoff, submission, hand in, eta,
    finish by, delivery date, done by
release_date: go out, out on, drop on, arrive on, release, launch, ship, go live, go-live, ga,
    rollout, roll out, come out, release date, launch date, ship date, land, deploy
start_date: kickoff, kick off, kick-off, start date, begin on, start on
date: slip, push, slip to, push to, postpone, postpone to, reschedule, reschedule to, move to,
    move up to, bring forward, delay until, delay to, pushed out to, slide to, shift to, move
    out to, extend to, extend until, set for
meeting: standup, stand-up, sync, retro, meet, meeting, one-on-one, 1:1, check-in, all-hands,
    call, planning, review, demo, office hour, jour fixe, town hall, catch-up, ceremony, session
cadence: cadence, release every, release cycle, sprint, iteration, cycle, rhythm, deploy every,
    release train, newsletter, report
version: version, upgrade to, bump to, pin to, update to, release
repository: repo, repository, code live, source, codebase, git, monorepo
budget: budget, spend, funding
coverage: coverage
port: port, listen on
license: license, licence
hours: hour
age: years old, year old, turn
rate: rate, salary, pay, day rate
size: size, square meter, sqm
"""

SLOTS = """
hair team phase shift floor tier grade branch department division squad unit level year step sprint
stage desk office chapter cohort
"""
"""Nouns of which the word before or the number after says which one it is: one is in one team."""
