"""Of what a value in a note's sentence is the value: of each attribute the types of its values, the
words that tell it, and the words that go with it and say nothing (S4.9)."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from functools import lru_cache

from engrain.language.text.vocabulary import vocabulary
from engrain.language.text.words import content_of

ATTRIBUTES = """
timeout | time | timeout timeouts times wait waits waiting abort aborts patience gives give
    cancels cancel hangs deadline expires | after request call response answer answers seconds
    limit up out long no per
retries | number | retry retries retried attempts attempt again | times up failed failing
    request call most maximum gives before
retention | time | keep keeps kept retain retained retains retention stored stores history
    archived delete deleted deletes purge purged removed expire remain stay stays | days logs
    log data after older period entries records long
interval | cadence time | sync syncs synchronises synchronizes synchronised synchronized pull
    pulls poll polls polled polling refresh refreshes refreshed refreshing update updates
    updated fetch fetches arrive arrives imports import checks checked interval heartbeat crawl
    crawls reload reloads loads data | new every each once
backup | cadence time clock | backup backups backed snapshot snapshots dump dumps dumped | made
    taken run runs every each once done up
schedule | clock | begins begin starts start started starting nightly run runs night cron job
    kicks kicked fires scheduled launched launch executed | each every at daily off morning
    evening
deploying | day cadence | deploy deploys deployed deployment deployments ship ships shipped
    release releases released rollout rollouts rolled roll live | happen happens production
    always every each only allowed forbidden on out go goes day new version done
meeting | day clock cadence | standup stand-up standups meeting meetings retro retros
    retrospective planning review reviews demo demos call calls sync meets meet refinement
    check-in one-on-one | held takes happens every each at weekly team starts
downtime | day clock | maintenance window windows downtime patching patch patched restarted
    restart reboot rebooted | before after only done
handover | day clock | handover hand-over handed rotation rotates rota on-call duty shift shifts
    | changes starts call hand over every each
weeks | day | week weeks | begins begin starts start counts count counted from
memory | bytes | memory ram heap | limit limited gets up most allowed takes uses needs container
filesize | bytes | file files upload uploads uploaded attachment attachments payload payloads
    body size message messages document documents | largest biggest most up limit limited
    rejects reject accepts accept takes above larger than over refuses maximum allowed each
disk | bytes | disk disks volume volumes quota storage space | limit gets has size each
rate | number | requests request calls call rate throttled throttles throttle | second minute
    hour limit limits client clients allow allows allowed send sends make caller callers most
    key up per more accepts
pool | number | workers worker threads thread connections connection pool parallel concurrency
    concurrent replicas replica instances instance nodes node shards shard partitions partition
    processes consumers | size runs run has uses count number opens most
approvals | number | approval approvals reviewer reviewers reviews review approve approvers
    sign-off sign-offs approves | change changes needs need requires require required each every
    merge merged pull request by two
port | number | port listens listening bound binds bind listen | reachable answers served
version | number | version | runs uses requires needs pinned
budget | money number | budget budgets fee fees spend | year yearly month monthly annual is has
price | money | cost costs price prices bill charged charges charge | is each month year
threshold | percent | coverage threshold alert alerts alarm sampling sampled sample traffic |
    least most below above at fires
batch | number | batch batches chunk chunks portion portions page | size rows items records
    entries most holds at time
rotation | time | password passwords key keys certificate certificates credential credentials
    token tokens | rotated changed renewed change must every expire expires valid last
joined | number date | joined joins founded hired started | company team since in
database | tool:database tool:warehouse | database db stores stored store keeps keep data
    persists persisted records uses use runs backed | its in
cache | tool:cache name | cache caches cached caching | uses as its is with in
broker | tool:queue name | queue queues queued broker brokers messages message messaging bus
    events event jobs | uses use sends publishes talks through over its by via as is travel go
searching | tool:search | search searches searching index indexed uses runs | by with
writing | tool:language | written code coded language implemented implementation programmed
    source codebase | in its is
frontend | tool:frontend tool:mobile_kit plainui | frontend front-end front end ui interface
    screens web pages screen | built has written in its with uses client end made done is
serving | tool:backend | backend framework built uses web server | with on
hosting | tool:hosting | hosted hosting runs run host cloud lives datacentre datacenter region
    servers located | in on at stands
orchestration | tool:orchestration | deployed runs run scheduled orchestrated cluster | on with
ci | tool:ci | ci builds built build pipeline pipelines tests continuous integration | by in on
chatting | tool:chat | chat talks talk team channel messages discuss discussions | in over on
tracking | tool:tracker | tickets issues tasks tracked tracker bugs kept | in
versioning | tool:vcs | repository code hosted repo lives | in on at
monitoring | tool:monitoring tool:errors | monitored monitoring metrics alerts dashboards
    watched errors logs traces | in with by go
testing | runner tool:test_py tool:test_js tool:test_e2e tool:test_jvm tool:test_rb | tests test
    tested testing runner suite uses use | run runs with by unit
infra | tool:iac tool:orchestration tool:ci deploytool name | infrastructure deploy deployed
    deploys deployment roll rolled rollout provisioned managed tool | out with by is uses
    through done
formatting | tool:formatter tool:build | formatted formatter linted lint linter | with by code
packaging | tool:build | packages dependencies installed built build manager | with by uses
signing-in | auth tool:auth | accept accepts accepted identify identifies access authenticates
    authenticate authenticated authentication auth callers caller login logins sign signs log
    uses use users clients themselves | is by with through in its
encoding | encoding | encoding encoded files file writes write written text reads characters
    charset uses use output | are in as its
format | format | format formatted messages message encoded serialised serialized output data
    sends send writes write files payload payloads exchange bodies logs emits uses speaks | are
    as in of
currency | currency | currency amounts amount books book prices price reckons reckoned invoices
    billed bills kept money sums accounts | are in
zone | zone | time times zone timestamps timestamp timezone stores stored clock clocks dates
    kept shown logs uses | are in its all
protocol | protocol tool:api_style | api interface talks talk speaks speak protocol calls
    exposes exposed called offers offered uses use connection | over by through as
ids | ids | ids id identifiers identifier keys key primary | are as
level | level | log logs logging level | at set is
branch | branch | branch branches released releases deployed deploys release cut built builds
    tagged | from is on
merging | merging | merged merge merges merging pull requests request changes prs branches
    commits commit land lands landed integrated integrates | by with as are always into only
indent | indent | indent indented indentation code indents files uses | with by are
channel | channel tool:chat | alerts alert alarms alarm alerting warnings warns sent send sends
    goes go invoices reports reported notified notifications notify notifies complaints
    statements reminders | to out only are via by its through come comes
secrets | secrets | secrets secret credentials passwords stored reads read kept keys come | in
    from
leading | lead | master copy truth source leading holds original | is of derived
provider | provider | done support run handled made operated first-level | is by for
speech | speech | speaks speak spoken speaking language meetings documentation docs written held
    | in fluent fluently any
style | style | names named naming variables columns fields keys uses | are in written
pace | pace | calls call processed handled works runs | are is
hand | hand | deployed deploys done started release made run triggered | are is
paging | paging | pages paged paging pagination lists | by with uses
hashing | hashing | hashed hashes hash checksums checksum passwords digest | with by are
packing | packing | compressed compression packed archives backups files | with by are
logging | logs | logs log logging written goes go writes | to
licence | tool:license_kind | license licence licensed licenced licences released published
    distributed | under is of the source open
deleting | pass | delete deleted deletes deletion removed removes erased records rows | are is
    of from
stage | stage | state status stage phase | is in of
endpoint | code | endpoint endpoints url address base served available answers answered listens
    path health check probe | reachable at on its under is of for
home | code | path folder directory stored written lives mounted kept | in to under at is of its
metrics | code | metrics scraped scrape exporter | at under on its exposes
reach | reach | reachable exposed open accessible | is
sorting | order | sorted sorts order lists listed ordered | are in
owner | team | owned owner owns belongs belong responsible looks look maintained maintains
    maintain run runs ownership charge care | after by of to for takes taken is
keeper | name place | owner owned owns belongs belong maintainer maintains maintained
    responsible looks look lead leads charge charges care | of is person by after for in takes
    taken to
contact | name place | ask questions question contact contacts turn | about go goes for by of is
    person in reach
standing | place code | hosted hosting runs run located region regions datacentre datacenter
    data centre center lives stands servers host cloud | in at from is of
seat | place | office works work sits sit based desk lives located moved site | from in at
system | tool:os os | operating os host hosts machine machines runs run | on system under of
platform | name | operating os | on system under of is
vendor | name place | vendor supplier supplied supply manufacturer bought delivered delivers
    delivery contract | is from by of for with comes support
title | name place | title role job position | is as
reporting | name place | reports manager boss report | to is
health | code | health check checks probe liveness readiness alive ready ping pinged | answers
    answered at on its under endpoint is of for
"""


class Attribute:
    """One row: `name`, the `ordered` types of its values, its `cues`, and `fillers` beside them,
    folded."""

    __slots__ = ("cues", "fillers", "name", "ordered")

    def __init__(self, name: str, types: str, cues: str, fillers: str) -> None:
        self.name = name
        self.ordered = tuple(types.split())
        self.cues = _fold(cues)
        self.fillers = _fold(fillers)


def fold_term(word: str) -> tuple[str, ...]:
    """A word as cues are compared, none for one that says nothing."""
    return ("own",) if word in ("owns", "owned") else tuple(content_of(word).split())


def _fold(words: str) -> frozenset[str]:
    return frozenset(part for word in words.split() for part in fold_term(word) or (word,))


@lru_cache(maxsize=1)
def attributes() -> tuple[Attribute, ...]:
    """All rows, in order: of several that fit the one with more of its cues is meant."""
    rows = re.split(r"\n(?=\S)", ATTRIBUTES.strip())
    return tuple(Attribute(*(" ".join(part.split()) for part in row.split("|"))) for row in rows)


@lru_cache(maxsize=1)
def cued() -> dict[str, tuple[int, ...]]:
    """By a cue the numbers of the rows that have it."""
    found: dict[str, tuple[int, ...]] = {}
    for number, attribute in enumerate(attributes()):
        for cue in attribute.cues:
            found[cue] = (*found.get(cue, ()), number)
    return found


def find_attributes(words: Iterable[str], types: Container[str]) -> Iterator[Attribute]:
    """The rows of which a sentence has a cue, in order, and such as are told by their values."""
    rows = attributes()
    told: set[str] = set()
    for number in sorted({row for word in words for row in cued().get(word, ())}):
        told.update(rows[number].ordered)
        yield rows[number]
    for row in _plain():
        if row.ordered[0] in types and row.ordered[0] not in told:
            yield row


@lru_cache(maxsize=1)
def _plain() -> tuple[Attribute, ...]:
    return tuple(Attribute(type_, type_, "", "") for type_ in PLAIN.split())


PLAIN = """
tool:database tool:warehouse tool:cache tool:queue tool:search tool:language tool:frontend
tool:backend tool:mobile_kit tool:hosting tool:orchestration tool:ci tool:tracker tool:vcs
tool:monitoring tool:errors tool:auth tool:license_kind tool:test_py tool:test_js tool:test_e2e
tool:test_jvm tool:test_rb tool:css tool:iac tool:api_style tool:formatter tool:payments tool:erp
tool:crm tool:ticketing tool:analytics encoding format currency zone auth ids merging hashing
packing deploytool runner os secrets stage
"""
"""Types of values that tell by themselves of what they are the value."""


@lru_cache(maxsize=1)
def is_worded() -> frozenset[str]:
    """Every word of the table, as it is written there, and such as open a sentence."""
    words = {word for word in ATTRIBUTES.split() if word.isalpha()}
    return frozenset((*words, *_OPENING))


_OPENING = vocabulary(
    """the a an this that these those it its we our you your in on at for from of to with by as if
    when while all every each only both no not never always do don't please and but so then there
    here what where who how why tell let check take"""
)
