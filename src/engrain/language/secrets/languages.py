"""What passwords and keys are called in the languages people write notes in, and the words that
join such a name to its value. Data alone: `model.secret_rules` makes patterns of it.

A name is a regular expression in small letters; each needs a keyword that it begins with.
"""

from __future__ import annotations

PASSWORDS = {
    "ar": ("كلمة المرور", "كلمة السر", "كلمه السر"),
    "bg": ("парола",),
    "ca": ("contrasenya",),
    "cs": ("heslo", "hesla", "heslem"),
    "da": ("adgangskode(?:n)?", "kodeord(?:et)?", "adgangsord(?:et)?"),
    "de": ("kennwort", "zugangscode", "losung", "zugangsdaten", "geheimwort", "passwörter"),
    "el": ("κωδικ(?:ός|ο|ό)ς?(?: πρόσβασης)?", "συνθηματικό"),
    "es": ("contrase[ñn]a", "clave(?: de acceso| secreta)?"),
    "fa": ("رمز عبور", "گذرواژه"),
    "fi": ("salasana(?:n|ksi|na)?", "tunnussana"),
    "fr": ("mot de passe", "mots de passe", "mdp", "code d['’ ]acc[èe]s", "phrase de passe"),
    "he": ("סיסמ[הא]",),
    "hi": ("पासवर्ड",),
    "hr": ("lozinka", "lozinku", "zaporka"),
    "hu": ("jelsz[óo](?:t|va)?",),
    "id": ("kata sandi", "kata laluan"),
    "it": ("parola d['’ ]ordine", "codice di accesso"),
    "ja": ("パスワード", "パスフレーズ", "暗証番号", "合言葉"),
    "ko": ("비밀번호", "비번", "암호", "패스워드"),
    "lt": ("slaptažodis",),
    "nl": ("wachtwoord(?:en)?", "toegangscode", "wachtzin"),
    "no": ("passord(?:et)?",),
    "pl": ("hasło", "haslo", "hasła", "hasłem"),
    "pt": ("senha", "palavra[- ]passe", "código de acesso"),
    "ro": ("parola", "parolă"),
    "ru": ("парол(?:ь|я|ем|и)", "кодовое слово"),
    "sk": ("prístupový kód",),
    "sl": ("geslo",),
    "sv": ("lösenord(?:et)?",),
    "th": ("รหัสผ่าน",),
    "tr": ("şifre(?:si|niz|m)?", "sifre(?:si|niz|m)?", "parolas[ıi]"),
    "uk": ("пароль",),
    "vi": ("mật khẩu", "mat khau"),
    "zh": ("密码", "密碼", "口令", "通行码"),
}
"""Names of a password, by language. English ones are in `model.secret_rules`: code has those too.
"""

SECRETS = {
    "de": (
        "api-schlüssel",
        "api schlüssel",
        "zugangsschlüssel",
        "geheimschlüssel",
        "zugriffstoken",
    ),
    "es": ("clave (?:de )?(?:la )?api", "clave secreta", "llave (?:de )?(?:la )?api"),
    "fr": ("clé (?:d['’ ]|de l['’ ])?api", "cle d['’ ]api", "clé secr[èe]te", "jeton"),
    "it": ("chiave (?:dell['’ ]|di )?api", "chiave segreta", "chiave d['’ ]accesso"),
    "ja": ("apiキー", "トークン", "シークレット", "秘密鍵", "アクセスキー"),
    "ko": ("api 키", "api키", "토큰", "시크릿", "비밀 ?키"),
    "nl": ("api-sleutel", "api sleutel", "toegangssleutel"),
    "pl": ("klucz(?:a|em)? api", "tajny klucz"),
    "pt": ("chave (?:de |da )?api", "chave secreta"),
    "ru": ("ключ(?:а|ом)? api", "api-ключ", "api ключ", "токен", "секретный ключ", "секрет"),
    "sv": ("api-nyckel(?:n)?",),
    "tr": ("api anahtarı",),
    "zh": ("令牌", "密[钥鑰]", "访问密钥", "存取金鑰"),
}
"""Names of a key or token, by language."""

LINKS = frozenset((
    # English, and the Germanic languages
    "is", "was", "are", "be", "to", "now", "as", "equals", "reads", "says", "called", "with", "got",
    "value", "values", "ist", "lautet", "war", "heißt", "heisst", "auf", "sei", "bleibt", "är",
    "er", "til",
    # the Romance ones
    "est", "était", "sera", "c'est", "c’est", "es", "era", "será", "é", "è", "e'", "este", "à",
    "são", "son", "sono", "fue", "a",
    # the Slavic ones, and others in Latin letters
    "jest", "brzmi", "na", "je", "bude", "on", "ez", "az", "olarak", "là", "adalah", "ini",
    # other letters
    "это", "теперь", "был", "будет", "такой", "такая", "є", "це", "е", "είναι", "ήταν", "هي", "هو",
    "היא", "הוא", "है",
))  # fmt: skip
"""Words that stand between a name and its value and nothing else: behind one, a word with a digit
in it is taken for the value."""

LINKS_JOINED = (
    "คือ", "是", "为", "為", "叫", "は", "が", "を", "를", "을", "는", "은", "이", "가",
)  # fmt: skip
"""The same in languages that write them without a blank before."""

AS = frozenset((
    "as", "is", "was", "als", "ist", "comme", "est", "como", "es", "come", "è", "é", "как", "это",
    "som", "är", "er", "jako", "to", "je", "olarak", "on", "là", "adalah", "ως", "είναι",
))  # fmt: skip
"""Words after a value that stand before its name: "use … as the password", "… is the password"."""

AS_JOINED = ("作为", "作為", "当作", "当", "做", "是", "を", "が", "は", "를", "을", "로", "으로")
"""The same in languages that write them without a blank."""


def joined(table: dict[str, tuple[str, ...]]) -> str:
    """The names of all languages as one alternation, long ones before their own beginnings."""
    names = {name for names in table.values() for name in names}
    return "|".join(sorted(names, key=len, reverse=True))


def openings(table: dict[str, tuple[str, ...]]) -> str:
    """What the names begin with before their first choice, as the keywords of a rule."""
    found = set()
    for names in table.values():
        for name in names:
            plain = min((name.find(mark) for mark in "[(?" if mark in name), default=len(name))
            found.add(name[: plain - (name[plain : plain + 1] == "?")])
    return "|".join(sorted(found))
