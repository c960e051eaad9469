"""A wish not to have something remembered is kept by nobody; what only sounds like one is."""

import json
import uuid

import pytest

from harness import log_message, remember
from harness.errors import ToolError
from harness.memory.declined import declines, unwanted

DECLINED = [
    "Don't remember that capacity is in tons.",
    "Please do not remember that capacity is in tons.",
    "Never store my home port Hamburg.",
    "You don't need to remember that I live in Lagos.",
    "I don't want you to remember that Alpha owns Beta.",
    "I'd rather you didn't keep that I like tea.",
    "No need to note that Alpha owns Beta.",
    "There's no need to save that Alpha owns Beta.",
    "Please avoid storing that I work for Maersk.",
    "Stop remembering that I like tables.",
    "Do not save this: my favourite port is Oslo.",
    "It's better not to record that I was late.",
    "you needn't remember that it is cents",
    "dont remember that alpha owns beta",
    "Merk dir nicht, dass Alpha Beta besitzt.",
    "Bitte merke dir nicht, dass die Kapazität in Tonnen ist.",
    "Speichere bitte nicht, dass ich in Hamburg wohne.",
    "Du musst dir nicht merken, dass ich Tee mag.",
    "Ich möchte nicht, dass du dir merkst, dass ich Tee mag.",
    "Ne retiens pas que Alpha possède Beta.",
    "N'enregistre pas que j'habite à Lyon.",
    "S'il te plaît, ne note pas que je suis en retard.",
    "Inutile de retenir que Alpha possède Beta.",
    "No recuerdes que Alpha es dueño de Beta.",
    "Por favor, no guardes que vivo en Lima.",
    "No hace falta que recuerdes que me gusta el té.",
    "Não lembre que Alpha é dona da Beta.",
    "Por favor, não guarde que moro no Porto.",
    "Non ricordare che Alpha possiede Beta.",
    "Per favore non salvare che vivo a Roma.",
    "Onthoud niet dat Alpha Beta bezit.",
    "Sla niet op dat ik in Gent woon.",
    "Не запоминай, что Альфа владеет Бетой.",
    "Пожалуйста, не записывайте, что я живу в Осло.",
    "请不要记住Alpha拥有Beta。",
    "不用记录我住在上海。",
    "AlphaがBetaを所有していることは覚えないでください。",
    "私が東京に住んでいることは記録しないでください。",
    "لا تتذكر أن ألفا تملك بيتا.",
    "من فضلك لا تحفظ أنني أسكن في القاهرة.",
    "यह याद मत रखना कि अल्फा बीटा का मालिक है।",
    "कृपया नोट न करें कि मैं दिल्ली में रहता हूँ।",
]
STATED = [
    "Amounts are not stored in cents.",
    "We don't store reefers with chemicals.",
    "The table does not record cancelled voyages.",
    "Remember that it is never in tons.",
    "Remember that Alpha does not own Beta.",
    "Please remember not to count cancelled voyages.",
    "Never count cancelled voyages as delayed.",
    "Don't use tons, use TEU.",
    "Note that the port does not keep records.",
    "The master never saves fuel.",
    "Not all carriers keep records of delays.",
    "No carrier stores chemicals in Oslo.",
    "It is not so that Alpha owns Beta.",
    "I doubt that the port keeps records.",
    "Don't forget that Alpha owns Beta.",
    "Always remember that amounts are in cents.",
    "I want you to remember that amounts are in cents.",
    "Keep in mind that Alpha does not own Beta.",
    "Merk dir, dass Alpha nicht Beta besitzt.",
    "Vergiss nicht, dass Beträge in Cent sind.",
    "Die Tabelle speichert keine stornierten Fahrten.",
    "Retiens que Alpha ne possède pas Beta.",
    "N'oublie pas que les montants sont en centimes.",
    "La table n'enregistre pas les annulations.",
    "No olvides que los importes son en céntimos.",
    "Recuerda que no guardan los cancelados.",
    "La tabla no guarda los cancelados.",
    "Não esqueça que os valores são em cêntimos.",
    "Non dimenticare che gli importi sono in centesimi.",
    "Onthoud dat het niet in ton is.",
    "Не забудь, что суммы в центах.",
    "Таблица не сохраняет отмены.",
    "请记住金额不是美元。",
    "别忘了金额的单位是美分。",
    "金額はドルではないと覚えてください。",
    "لا تنس أن المبالغ بالسنت.",
    "याद रखें कि राशि डॉलर में नहीं है।",
    "There is no record of the voyage before 2020.",
    "I would like you to note that we don't sail on Friday.",
    "Without saving on fuel, the voyage costs more.",
    "The master did not record the delay.",
    "You don't save time on the northern route.",
]


@pytest.mark.parametrize("sentence", DECLINED)
def test_a_wish_not_to_be_remembered_is_one(sentence):
    assert declines(sentence)


@pytest.mark.parametrize("sentence", STATED)
def test_a_statement_with_the_same_words_is_none(sentence):
    assert not declines(sentence)


def said(message, quote):
    thread = uuid.uuid4().hex
    log_message(thread, "user", message)
    answer = remember(subject="x", body=quote, quote=quote)
    log_message(thread, "assistant", "ok")
    return answer


@pytest.mark.parametrize(
    ("message", "quote"),
    [
        ("Don't remember that Alpha owns Beta.", "Alpha owns Beta"),
        ("Don't remember that Alpha owns Beta.", "Don't remember that Alpha owns Beta."),
        ("Speichere bitte nicht, dass ich in Hamburg wohne.", "ich in Hamburg wohne"),
        ("不用记录我住在上海。", "我住在上海"),
        ("My home port is Hamburg. Please don't store this.", "My home port is Hamburg"),
        ("Please don't store this! My home port is Hamburg.", "My home port is Hamburg"),
    ],
)
def test_the_model_cannot_have_it_stored(home, message, quote):
    with pytest.raises(ToolError, match="asks not to have it remembered"):
        said(message, quote)


def test_what_is_said_beside_it_is_stored(home):
    message = "Don't remember the old capacity of Alpha. The capacity is in TEU."
    assert json.loads(said(message, "The capacity is in TEU"))["stored"] == "active"
    assert not unwanted("Alpha owns Beta.", "Alpha owns Beta. Don't forget it.")


def test_a_long_rule_before_it_is_passed_over_once():
    """At each of its characters it was all read again: minutes for a pasted page."""
    assert declines("-" * 100_000 + " Don't remember this")
    assert not declines("-" * 100_000)
