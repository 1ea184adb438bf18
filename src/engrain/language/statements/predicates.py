"""Which relations facts tell of, and which of them hold one value at a time (S4.3).

A predicate is functional where a second value means that the first holds no longer: one lives in
one place. Of others (likes, speaks, has visited) any number stand beside one another.
"""

from __future__ import annotations

from collections.abc import Iterator

PERSON, COMPANY, PROJECT, PLACE, VALUE = "person", "company", "project", "place", "value"
TYPES = (PERSON, COMPANY, PROJECT)
"""The types of entity that the seed knows; any other word is a type too."""


class Predicate:
    """One relation: its `name`, whether it is `functional`, and what its object is (`range`, one of
    the five above). `ahead`: what it says may lie ahead, as a deadline does."""

    __slots__ = ("ahead", "functional", "name", "range")

    def __init__(
        self,
        name: str,
        range_: str = VALUE,
        *,
        functional: bool = True,
        ahead: bool = False,
    ) -> None:
        self.name = name
        self.range = range_
        self.functional = functional
        self.ahead = ahead


# Name, range, flags (f functional, a ahead) | words that name it as an edge or a noun.
_TABLE = """
works_at company f | employer workplace works_for employed_by employed_at work_for works_with
    joined hired_by company job_at works_in working_at
job_title value f | title role position occupation profession job works_as is_a_role promoted_to
    job_role
lives_in place f | home residence location_home resides_in lives_at based_in hometown_now moved_to
    relocated_to home_city city address
born_in place f | birthplace born_at place_of_birth
partner person f | spouse wife husband girlfriend boyfriend fiance fiancee fiancé fiancée
    married_to dating engaged_to partner_of
marital_status value f | relationship_status civil_status
diet value f | follows_diet eating dietary_preference diet_is
smokes value f | smoking
chronotype value f |
work_mode value f | working_arrangement
employment value f | employment_status
hours value f | working_hours work_hours
birthday value f | birth_date date_of_birth born_on dob
age value f | years_old
phone_number value f | phone_nr mobile_number cell telephone number
email value f | e-mail email_address mail_address mail
studies_at company f | school university college studies_in enrolled_at attends alma_mater_now
studies value f | major degree_course field_of_study studying
reports_to person f | manager boss supervisor line_manager managed_by reports_into
car value f | drives vehicle
phone value f | smartphone handset
laptop value f | computer workstation
editor value f | ide code_editor
os value f | operating_system
browser value f |
gym value f |
bank value f |
doctor person f | dentist gp physician therapist dermatologist paediatrician pediatrician
landlord person f |
nickname value f | goes_by
username value f | handle
timezone value f | time_zone tz
pronouns value f |
allergic_to value | allergy intolerant_to
likes value | loves enjoys fond_of interested_in hobby into
dislikes value | hates
prefers value | preference
speaks value | languages fluent_in speaks_language
has_pet value | pet
knows person | friend friend_of met colleague
sibling person | brother sister
parent person | mother father mom dad
child person | son daughter parent_of
owns value | has bought
visited place | been_to travelled_to
member_of company | belongs_to
manages person | leads_person supervises
ceo person f | chief_executive managing_director led_by chief_executive_officer
cto person f | chief_technology_officer
cfo person f | chief_financial_officer
coo person f | chief_operating_officer
chair person f | chairman chairwoman chairperson president
headquarters place f | hq head_office main_office seat headquartered_in based_at
headcount value f | employees size team_size staff number_of_employees
valuation value f | valued_at
funding value | raised
founded value f | founding_year founded_in founding_date
founder person | founders founded_by
price value f a | cost subscription_price fee rate pricing rent
product value | makes sells
owned_by company f | parent_company acquired_by owner_company belongs_to_company
listed_on value f | ticker exchange
name value f | title_name called renamed_to brand
industry value f | sector
revenue value f | arr mrr turnover
customer company | client customers
status value f | state phase stage health
deadline value f a | due due_date due_on delivery_date cutoff cut-off eta submission_date
release_date value f a | launch launch_date ship_date go-live go_live golive release ga_date
    rollout launches_on
start_date value f a | kickoff kick-off starts_on
owner person f | lead project_lead project_manager pm owned_by_person maintainer led_by_person
    tech_lead product_owner product_manager dri point_person
sponsor person f | executive_sponsor
language value f | written_in programming_language implementation_language
database value f | db datastore data_store
frontend value f | frontend_framework ui_framework
backend value f | backend_framework framework web_framework
hosting value f | hosted_on cloud cloud_provider deployed_on hosting_provider
ci value f | ci_provider build_server
chat value f | messenger messaging
tracker value f | issue_tracker ticketing task_tracker
analytics value f |
payments value f | payment_provider payment_processor
vcs value f | code_host
version value f | current_version
repository value f | repo repository_at
license value f | licence licensed_under
budget value f a |
cadence value f a | frequency
meeting value f a | standup stand-up retro sync one-on-one 1:1 check-in weekly all-hands
branch value f | default_branch
password_policy value f |
venue place f a | location room
vendor company f | supplier provider contractor agency
port value f | default_port
"""


class _Table:
    """The predicates and the words that lead to them."""

    __slots__ = ("by_name", "by_word")

    def __init__(self) -> None:
        self.by_name: dict[str, Predicate] = {}
        self.by_word: dict[str, str] = {}
        for name, range_, flags, words in _rows():
            self.by_name[name] = Predicate(
                name, range_, functional="f" in flags, ahead="a" in flags
            )
            for word in (name, *words):
                self.by_word.setdefault(word.replace("-", "_"), name)


def _rows() -> Iterator[tuple[str, str, str, list[str]]]:
    for line in _TABLE.replace("\n    ", " ").strip().splitlines():
        head, _, words = line.partition("|")
        name, range_, *flags = head.split()
        yield name, range_, "".join(flags), words.split()


_tables: list[_Table] = []


def find_predicate(word: str) -> Predicate | None:
    """The predicate of an edge or a noun, by its name or a synonym; None for one of which nothing
    is known. A favourite is one of its kind: `favourite_film`."""
    if not _tables:
        _tables.append(_Table())
    key = "_".join(word.lower().replace("-", "_").split())
    for prefix in ("favourite_", "favorite_"):
        if key.startswith(prefix) and len(key) > len(prefix):
            return Predicate("favourite_" + key[len(prefix) :])
    table = _tables[0]
    for tried in (key, key.removeprefix("is_"), key.removeprefix("has_"), key.removeprefix("the_")):
        if tried in table.by_word:
            return table.by_name[table.by_word[tried]]
    return None
