"""Small question sets in the exact formats of LoCoMo, LongMemEval and BEAM."""

from __future__ import annotations

import json

_TALKS = {
    "conv-1": (
        ("Nora", "Emil"),
        [
            [
                "I adopted a grey kitten called Pixel last weekend.",
                "A kitten! I stick to my cello.",
            ],
            ["My pottery class begins on Monday.", "I will play a recital in Antwerp in June."],
        ],
    ),
    "conv-2": (
        ("Femi", "Ruth"),
        [
            ["The marathon in Lagos left me with a blister.", "My sister moved to Vancouver."],
            [
                "I bought a telescope to look at Saturn.",
                "I baked rye bread with caraway. I am allergic to nuts.",
            ],
        ],
    ),
}
_QUESTIONS: dict[str, list[tuple[str, list[str], int]]] = {
    "conv-1": [
        ("What is Nora's kitten called?", ["D1:1"], 4),
        ("What is Emil's plan for June in Antwerp?", ["D2:2"], 2),
        ("Which hobbies do Nora and Emil have?", ["D1:2; D2:1", "D2:02"], 1),
        ("What would Nora say of dogs?", ["D9:9"], 3),
        ("What is the colour of Emil's kitten?", ["D1:1"], 5),
    ],
    "conv-2": [
        ("Where did Ruth's sister move?", ["D1:2"], 4),
        ("What does Femi look at through the telescope?", ["D2:1", "D9:1"], 4),
        ("Which bread did Ruth bake?", ["D 2 : 2"], 1),
    ],
}


def make_locomo() -> bytes:
    """Two conversations of two sessions; six questions are asked, one has no evidence that is
    there, and one is adversarial."""
    items: list[dict[str, object]] = []
    for name, (speakers, sessions) in _TALKS.items():
        talk: dict[str, object] = {"speaker_a": speakers[0], "speaker_b": speakers[1]}
        for number, said in enumerate(sessions, 1):
            talk[f"session_{number}_date_time"] = f"1:5{number} pm on {number} May, 2023"
            turns: list[dict[str, object]] = [
                {"speaker": speaker, "dia_id": f"D{number}:{place}", "text": text}
                for place, (speaker, text) in enumerate(zip(speakers, said, strict=True), 1)
            ]
            turns[0]["blip_caption"] = f"a photo of number {number}"
            talk[f"session_{number}"] = turns
        asked = [
            {"question": text, "answer": "", "evidence": evidence, "category": category}
            for text, evidence, category in _QUESTIONS[name]
        ]
        items.append({"sample_id": name, "conversation": talk, "qa": asked})
    return json.dumps(items).encode()


def make_longmemeval() -> bytes:
    """Three questions with a haystack of three sessions each; the last is an abstention."""
    sessions = [
        ("answer_a1", "2023/05/20 (Sat) 02:21", "I put together a bookshelf in four hours."),
        ("ultrachat_7", "2023/05/21 (Sun) 10:00", "Which tyres suit a gravel bicycle?"),
        ("sharegpt_9", "2023/05/22 (Mon) 23:59", "Explain how yeast makes dough rise."),
    ]
    asked = [
        ("q1", "single-session-user", "How long did my bookshelf take?", ["answer_a1"], (0,)),
        ("q2", "multi-session", "Which bicycle and dough did I ask about?",
         ["ultrachat_7", "sharegpt_9"], (1, 2)),
        ("q3_abs", "single-session-user", "How long did my wardrobe take?", ["answer_a1"], ()),
    ]  # fmt: skip
    items = [
        {
            "question_id": id_,
            "question_type": kind,
            "question": text,
            "answer": "",
            "question_date": "2023/06/01 (Thu) 08:00",
            "haystack_session_ids": [name for name, _, _ in sessions],
            "haystack_dates": [date for _, date, _ in sessions],
            "haystack_sessions": [
                [
                    {"role": "user", "content": said}
                    | ({"has_answer": True} if place in marked else {}),
                    {"role": "assistant", "content": f"Here is answer number {place}."},
                ]
                for place, (_, _, said) in enumerate(sessions)
            ],
            "answer_session_ids": gold,
        }
        for id_, kind, text, gold, marked in asked
    ]
    return json.dumps(items).encode()


def make_beam() -> bytes:
    """Two chats; of three questions one names no message that is there."""
    chats = [
        {
            "chat": 1,
            "messages": [
                {"id": 0, "role": "user", "session": 1, "date": "March-15-2024",
                 "text": "Plan a trip to Lisbon."},
                {"id": 1, "role": "assistant", "session": 1, "date": "",
                 "text": "Gladly: three days in Alfama, then the coast."},
                {"id": 2, "role": "user", "session": 2, "date": None,
                 "text": "The hotel in Lisbon is booked for May."},
            ],
            "questions": [
                {"qid": "1/fact/0", "category": "fact", "question": "Where is the hotel booked?",
                 "gold": [2, 0, 99]},
                {"qid": "1/none/0", "category": "none", "question": "What is my cat called?",
                 "gold": []},
            ],
        },
        {
            "chat": 2,
            "messages": [
                {"id": 0, "role": "user", "session": 1, "date": "",
                 "text": "Which telescope shows the rings of Saturn?"},
            ],
            "questions": [
                {"qid": "2/fact/0", "category": "fact", "question": "What shows Saturn's rings?",
                 "gold": [0]},
            ],
        },
    ]  # fmt: skip
    return json.dumps(chats).encode()
