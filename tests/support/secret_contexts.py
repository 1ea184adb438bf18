"""Where secrets stand: files, logs, commands and sentences, each a template with one place for it.

`{}` is the secret, `<key>` a name for it as that place writes names. A template for passwords alone
begins with `P:`, one for keys and tokens alone with `K:`, one for tokens that need no name with
`T:`, one for AWS secret access keys by `A:`; every other is for all.
"""

from __future__ import annotations

from random import Random
from urllib.parse import quote

from support.secret_kinds import Draw

CONTEXTS: dict[str, tuple[str, ...]] = {
    "dotenv": ("<KEY>={}", "DEBUG=1\n<KEY>={}\nPORT=8080\n", '<KEY>="{}"\n', "<KEY>='{}'"),
    "shell-export": ("export <KEY>={}", 'export <KEY>="{}" && make deploy', "<KEY>={} ./run.sh"),
    "json": ('{"<key>": "{}", "region": "eu"}', '{\n  "user": "ci",\n  "<camel>": "{}"\n}'),
    "json-compact": ('{"id":7,"<key>":"{}","ok":true}', '[{"<camel>":"{}"}]'),
    "yaml": ("<key>: {}", "service:\n  <camel>: {}\n  port: 80", '  - name: x\n    <key>: "{}"'),
    "toml": ('<key> = "{}"', "[auth]\n<key> = '{}'\n"),
    "ini": ("[db]\n<key> = {}\nhost = h", "<key>={}\n", "<key> : {}"),
    "properties": ("spring.cloud.<dotted>={}", "app.<dotted> = {}"),
    "curl-header": (
        "K:curl -H 'Authorization: Bearer {}' https://api.shop.test",
        'K:curl -sS -H "X-Api-Key: {}" https://api.shop.test/v1',
        "K:curl -H 'Authorization: token {}' https://api.shop.test",
    ),
    "http-log": ("K:> GET /v1 HTTP/1.1\n> Host: a.test\n> X-Auth-Token: {}\n>",
                 "K:Authorization: Bearer {}"),
    "connection-string": (
        "P:postgres://app:{}@db.shop.test:5432/orders", "P:Server=db;Uid=app;Password={};Encrypt=1",
        "P:amqp://worker:{}@mq:5672//", "P:jdbc:mysql://h/db?user=app&password={}&useSSL=true",
    ),
    "docker-compose": ("services:\n  db:\n    environment:\n      - <KEY>={}\n      - TZ=UTC",
                       "    environment:\n      <KEY>: {}\n      TZ: UTC"),
    "dockerfile": ("ENV <KEY>={}", "ENV <KEY> {}", "ARG <KEY>={}\nRUN make"),
    "docker-run": ("docker run -e <KEY>={} -p 80:80 shop", "podman run --env <KEY>='{}' img"),
    "ci-log": ("2026-03-01T10:00:00.123Z <key>={}", "##[debug] <KEY>: {}",
               "+ export <KEY>={}\n+ npm ci"),
    "stack-trace": ("ValueError: bad <key>: '{}'\n  at main.py:12",
                    "  <key> = '{}'\n  timeout = 3"),
    "markdown-table": ("| name | value |\n|---|---|\n| <key> | {} |", "| <key> | `{}` | ok |"),
    "markdown-code": ("Set `<key>` to `{}` first.", "The <words> is `{}`.", "**<Words>:** {}"),
    "markdown-list": ("- <words>: {}", "* user: ci\n* <words>: `{}`", "1. <Words>: {}"),
    "terraform": ("<key> = \"{}\"\nregion = \"eu\"", 'Outputs:\n\n<key> = "{}"',
                  "variable \"<key>\" {\n  default = \"{}\"\n}"),
    "k8s": ("stringData:\n  <dashed>: {}", "env:\n  - name: <KEY>\n    value: {}",
            'env:\n- name: <KEY>\n  value: "{}"'),
    "python": ("{'<key>': '{}', 'n': 3}", '<key> = "{}"', "connect(host, <key>='{}')",
               "os.environ['<KEY>'] = '{}'", "Config(<key>='{}', n=3)"),
    "javascript": ("const <camel> = '{}';", "{ <camel>: '{}', n: 3 }", 'process.env.<KEY> = "{}"',
                   "new Client({ <camel>: `{}` })"),
    "other-code": ('<key> := "{}"', 'let <key> = "{}";', 'private String <camel> = "{}";',
                   "$<key> = '{}';", 'define("<KEY>", "{}");', ':<key> => "{}"',
                   'client.set<Camel>("{}")'),
    "sql": ("P:CREATE USER app IDENTIFIED BY '{}';", "P:ALTER ROLE app WITH PASSWORD '{}';",
            "INSERT INTO cfg VALUES ('<key>', '{}');", "UPDATE cfg SET <key> = '{}' WHERE id = 1;"),
    "powershell": ("$env:<KEY> = '{}'", '$<Camel> = "{}"', "setx <KEY> {}",
                   "P:ConvertTo-SecureString '{}' -AsPlainText -Force"),
    "batch": ("set <KEY>={}", "SET <KEY>={}\r\ncall run.bat"),
    "xml": ("<<camel>>{}</<camel>>", '<add key="<Camel>" value="{}" />',
            '<property name="<key>" value="{}"/>', '<entry key="<key>">{}</entry>'),
    "html": ('<input name="<key>" value="{}">', "<td><words></td><td>{}</td>",
             "<b><words></b>: <code>{}</code>"),
    "url-query": ("K:https://api.shop.test/v1?<key>={}&page=2", "K:GET /hook?<camel>={} 200"),
    "form-body": ("K:grant_type=x&<key>={}&scope=all",),
    "ansi": ("\x1b[32m<key>\x1b[0m=\x1b[33m{}\x1b[0m", "\x1b[1;36m<key>:\x1b[0m {}\x1b[K",
             "K:\x1b[90mtoken\x1b[39m: \x1b[38;5;208m{}\x1b[0m"),
    "escaped-json": ('{"body": "{\\"<key>\\": \\"{}\\"}"}', '"{\\"n\\":1,\\"<camel>\\":\\"{}\\"}"'),
    "escaped-lines": ('{"out": "login\\n<key>={}\\ndone"}', '{"log": "a\\t<key>: {}\\tb"}'),
    "quoted-printable": ("<key>=3D{}=0A", "Subject: access\n\n<key>=20=3D=20{}"),
    "after-escape": ("T:line one\\n{}\\nline two", "T:x\\t{}\\ty", "T:a%20{}%20b", "T:a%0A{}%0Ab",
                     "T:key\\u003d{}\\u0026n", "T:\x1b[31m{}\x1b[0m", "T:backup_{}",
                     "T:&quot;{}&quot;", "T:\\x1b[1m{}\\x1b[0m", "T:\\\\n{}"),
    "command-option": ("P:mysqldump --password={} orders", "K:deployctl --api-token {} --dry-run",
                       "K:cli login --token={} --host h", "P:tool --user ci --password {}",
                       "P:mysql -u root -p'{}' orders", "P:sshpass -p {} ssh h",
                       "P:curl -u deploy:{} https://h.test", "P:redis-cli -a {} ping"),
    "netrc": ("P:machine api.test login ci password {}",
              "K://registry.npmjs.org/:_authToken={}"),
    "chat": ("the <words> is {}", "The <words> for staging is {}, rotate it soon.",
             "my <words> is {} btw", "here is the <words>: {}", "new <words> = {}",
             "I set the <words> to {}", "The <words> was changed to {} today",
             "please use {} as the <words>", "<words> {}", "sudo <words> {}"),
    "chat-after": ("{} is the <words> now", "log in with {} as <words>", "use '{}' as <words>."),
    "german": ("P:Das Passwort lautet {}.", "P:Das neue Kennwort für die Datenbank ist {}",
               "P:Passwort: {}", "P:Nimm {} als Passwort.", "K:Der API-Schlüssel ist {}"),
    "french": ("P:Le mot de passe est {}", "P:mot de passe : {}", "P:mdp: {}",
               "P:Le mot de passe de la base est « {} ».", "P:utilise {} comme mot de passe"),
    "spanish": ("P:La contraseña es {}", "P:contraseña: {}", "P:la contraseña del servidor es {}",
                "P:usa {} como contraseña", "P:La clave es {}"),
    "italian": ("P:La password è {}", "P:la parola d'ordine è {}", "P:usa {} come password"),
    "portuguese": ("P:A senha é {}", "P:senha: {}", "P:a palavra-passe do servidor é {}"),
    "dutch": ("P:Het wachtwoord is {}", "P:wachtwoord: {}"),
    "polish": ("P:Hasło to {}", "P:hasło: {}", "P:Nowe hasło do bazy to {}"),
    "russian": ("P:Пароль: {}", "P:Пароль от базы — {}", "P:новый пароль {}", "P:пароль это {}"),
    "chinese": ("P:密码是{}", "P:密码：{}", "P:数据库的密码为 {} 。", "P:口令: {}",
                "P:密碼是「{}」"),
    "japanese": ("P:パスワードは{}です", "P:パスワード：{}", "P:DBのパスワードは「{}」です。"),
    "korean": ("P:비밀번호는 {} 입니다", "P:비밀번호: {}", "P:암호는 {}"),
    "other-languages": ("P:Lösenordet är {}", "P:Heslo je {}", "P:Şifre: {}", "P:Parola este {}",
                        "P:Salasana on {}", "P:Mật khẩu là {}", "P:Ο κωδικός είναι {}"),
    "aws-cli": ('A:{\n  "AccessKey": {\n    "UserName": "ci",\n    "AccessKeyId": "<akia>",\n    '
                '"Status": "Active",\n    "SecretAccessKey": "{}",\n    "CreateDate": "2026-01-01"'
                "\n  }\n}",
                "A:ACCESSKEY\t<akia>\t2026-01-01T10:00:00Z\t{}\tActive\tci",
                "A:|  AccessKeyId     |  <akia>   |\n|  SecretAccessKey |  {}  |",
                "A:[default]\naws_access_key_id = <akia>\naws_secret_access_key = {}",
                "A:User name,Access key ID,Secret access key\nci,<akia>,{}",
                "A:export AWS_SECRET_ACCESS_KEY={}", "A:SecretAccessKey: {}"),
    "bare": ("T:The deploy uses {}, it was rotated.", "T:I pasted {} by mistake.", "T:({})",
             "T:see {}.", "T:`{}`", 'T:client = connect("{}")', "T:<{}>", "T:key={}"),
}  # fmt: skip
NAMES = {
    "token": ("api_key", "access_token", "service_token", "client_secret", "auth_token", "token"),
    "key": ("api_key", "access_token", "service_token", "client_secret", "auth_token", "token",
            "secret_key", "api_token", "refresh_token", "signing_key"),
    "password": ("password", "db_password", "passwd", "admin_password", "smtp_password",
                 "user_password"),
}  # fmt: skip


def fits(template: str, kind: str, name: str) -> bool:
    """Whether a template is for secrets of a kind."""
    mark = template[:2] if template[1:2] == ":" and template[0] in "PKTA" else ""
    if mark == "A:":
        return name == "aws-secret-access-key"
    if kind == "token" and name in ("slack-webhook", "discord-webhook", "okta"):
        return mark == "T:"
    return {"P:": kind == "password", "K:": kind != "password", "T:": kind == "token"}.get(
        mark, True
    )


def fill(random: Random, template: str, kind: str, secret: str) -> str:
    """The text of a template with a secret in its place."""
    if template[1:2] == ":" and template[0] in "PKTA":
        template = template[2:]
    name = random.choice(NAMES[kind])
    camel = "".join(part.title() for part in name.split("_"))
    names = {
        "<KEY>": name.upper(),
        "<key>": name,
        "<camel>": camel[0].lower() + camel[1:],
        "<Camel>": camel,
        "<dotted>": name.replace("_", "."),
        "<dashed>": name.replace("_", "-"),
        "<words>": name.replace("_", " "),
        "<Words>": name.replace("_", " ").capitalize(),
        "<akia>": "AKIA" + "".join(random.choices("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", k=16)),
    }
    for mark, said in names.items():
        template = template.replace(mark, said)
    if template.startswith(("postgres://", "amqp://", "jdbc:", "https://", "GET ", "grant_type")):
        secret = quote(secret, safe="")
    return template.replace("{}", secret, 1)


def make_texts(
    random: Random,
    kinds: dict[str, tuple[str, Draw]],
    contexts: dict[str, tuple[str, ...]],
    rounds: int,
) -> list[tuple[str, str, str, str]]:
    """Kind, context, what must not be found in the redacted text, and the text."""
    made = []
    for context, templates in contexts.items():
        for template in templates:
            for name, (kind, make) in kinds.items():
                if fits(template, kind, name):
                    for _ in range(rounds):
                        secret = make(random)
                        text = fill(random, template, kind, secret)
                        left = secret if secret in text else quote(secret, safe="")
                        made.append((name, context, left, text))
    return made
