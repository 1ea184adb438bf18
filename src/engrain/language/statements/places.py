"""Places, and which lies in which."""

from __future__ import annotations

import re
from functools import lru_cache

from engrain.language.text.words import spell_out

_PLACES = """
germany: berlin munich hamburg cologne frankfurt stuttgart leipzig dresden düsseldorf bonn bremen
    hannover nuremberg freiburg heidelberg potsdam bavaria
france: paris lyon marseille toulouse nice bordeaux lille nantes strasbourg grenoble montpellier
united kingdom: london manchester birmingham leeds bristol edinburgh glasgow liverpool cambridge
    oxford cardiff belfast brighton sheffield york nottingham newcastle england scotland wales
ireland: dublin cork galway limerick
spain: madrid barcelona valencia seville bilbao malaga granada
portugal: lisbon porto braga coimbra faro
italy: rome milan turin naples florence bologna venice palermo
netherlands: amsterdam rotterdam utrecht eindhoven delft leiden haarlem
belgium: brussels antwerp ghent leuven bruges
switzerland: zurich zürich geneva basel bern lausanne lugano
austria: vienna graz salzburg linz innsbruck
denmark: copenhagen aarhus odense
sweden: stockholm gothenburg malmö malmo uppsala
norway: oslo bergen trondheim stavanger
finland: helsinki tampere turku espoo
iceland: reykjavik
poland: warsaw krakow kraków wroclaw gdansk poznan
czechia: prague brno
hungary: budapest
greece: athens thessaloniki
turkey: istanbul ankara izmir
romania: bucharest cluj
bulgaria: sofia
croatia: zagreb split
serbia: belgrade
estonia: tallinn tartu
latvia: riga
lithuania: vilnius
ukraine: kyiv lviv odesa
russia: moscow
israel: haifa jerusalem
emirates: dubai
egypt: cairo
morocco: casablanca marrakesh rabat
kenya: nairobi mombasa
nigeria: lagos abuja
ghana: accra
south africa: johannesburg durban pretoria
india: mumbai bangalore bengaluru delhi hyderabad chennai pune kolkata goa
china: beijing shanghai shenzhen guangzhou hangzhou
japan: tokyo osaka kyoto yokohama sapporo fukuoka
south korea: seoul busan
taiwan: taipei
thailand: bangkok phuket
vietnam: hanoi saigon
indonesia: jakarta bali
philippines: manila cebu
malaysia: kuala penang
singapore:
australia: sydney melbourne brisbane perth adelaide canberra hobart
new zealand: auckland wellington christchurch
canada: toronto vancouver montreal ottawa calgary edmonton quebec halifax winnipeg ontario
mexico: guadalajara monterrey oaxaca
brazil: brasilia
argentina: mendoza
chile: santiago
colombia: bogota bogotá medellin medellín
peru: lima
california: san francisco los angeles oakland berkeley sacramento palo alto mountain view san jose
    san diego bay area silicon valley
texas: austin dallas houston
illinois: chicago
massachusetts: boston
new york: brooklyn manhattan queens bronx harlem buffalo
oregon: eugene
colorado: denver boulder
georgia: atlanta savannah
florida: miami orlando tampa
arizona: phoenix tucson
nevada: reno
utah: provo
pennsylvania: philadelphia pittsburgh
tennessee: nashville memphis
minnesota: minneapolis
michigan: detroit
north carolina: raleigh charlotte durham
louisiana:
hawaii: honolulu
ohio: cleveland columbus cincinnati
united states: california texas illinois massachusetts new york oregon colorado florida arizona
    nevada utah pennsylvania tennessee minnesota michigan north carolina ohio seattle portland las
    vegas washington louisiana hawaii
"""


@lru_cache(maxsize=1)
def places() -> dict[str, frozenset[str]]:
    """Every place, with those in which it lies."""
    wider: dict[str, set[str]] = {}
    known = ("san francisco", "los angeles", "palo alto", "mountain view", "san jose",
             "san diego", "bay area", "silicon valley", "new york", "las vegas",
             "north carolina")  # fmt: skip
    for line in re.sub(r"\n +", " ", _PLACES.strip()).splitlines():
        whole, _, parts = line.partition(": ") if ": " in line else line.partition(":")
        wider.setdefault(whole, set())
        for name in known:
            if name in parts:
                wider.setdefault(name, set()).add(whole)
                parts = parts.replace(name, " ")
        for part in parts.split():
            wider.setdefault(part, set()).add(whole)
    for name, areas in wider.items():
        for area in list(areas):
            wider[name] = wider[name] | wider.get(area, set())
    wider["bay area"] = wider["bay area"] | {"silicon valley"}
    return {name: frozenset(areas) for name, areas in wider.items()}


@lru_cache(maxsize=1024)
def place_in(text: str) -> str | None:
    """The narrowest place that a text names, in lower case."""
    lower = f" {spell_out(text)} "
    found = [name for name in places() if f" {name} " in lower]
    if not found:
        return None
    return max(found, key=lambda name: (len(places()[name]), len(name)))


def lies_in(part: str, whole: str) -> bool:
    """Whether one place is known to lie in another."""
    return whole in places().get(part, frozenset())
