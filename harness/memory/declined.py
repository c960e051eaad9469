"""Whether a sentence asks not to have something remembered. That is a wish, no statement to keep.

What it looks for is the verb, not the negation alone: "amounts are not stored in cents" and "we
don't save on fuel" are statements. A wish has the speaker, the person spoken to or nobody before
its verb, and the verb is one of those with which people ask for a thing to be kept.
"""

import regex

from harness.memory.sentences import sentences

# In each language: how a wish begins, its negation, and the verbs. The order is the language's.
# What is no word before it is never tried again (*+): a pasted rule may be long.
_DECLINES = regex.compile(
    r"""^\W*+(?:
      (?!you\W+do(?:n['’]?t|\ not)\W+(?:save|store|keep|record))
        (?:(?:please|kindly|and|but|so|ok(?:ay)?|no|just|i|i['’]d|would|you|want|need|rather
          |prefer|really|it['’]?s|is|there['’]?s|there|better|actually|by\ the\ way)\W+){0,6}?
        (?:(?:do|did|need|should|must|can|could|would)(?:n['’]?t|\ not)|cannot|never|not
          |no\ (?:need|reason)|stop|avoid|refrain\ from)\W+
        (?:(?:ever|even|to|want|need|have|like|you|me|please|be|for|it|bother|try)\W+){0,6}?
        (?:remember(?:ing|ed)?|memori[sz](?:e|ing|ed)
          |(?:not(?:e|ing)|writ(?:e|ing))\ (?:down|that|this)
          |record(?:ing|ed)?|sav(?:e|ing|ed)|stor(?:e|ing|ed)|keep(?:ing)?|kept
          |retain(?:ing|ed)?          |add(?:ing)?\ (?:this|that|it)\ to\ (?:your\ |the\ )?memory)\b
    | (?:(?:bitte|und|aber|also|nein)\W+){0,3}
        (?:merk\p{L}*|notier\p{L}*|speicher\p{L}*|behalt\p{L}*|halt\p{L}*)\W+
        (?:(?:dir|euch|sich|sie|du|bitte|das|dies|es|mir|davon)\W+){0,4}?(?:nicht|nie|niemals|nichts)\b
    | (?:(?:bitte|ich|du|sie|das|es|dies)\W+)*(?:(?:möchte|will|sollst|sollen|musst|müssen|brauchst
          |brauchen)\W+)(?:\p{L}+\W+){0,4}?(?:nicht|kein\p{L}*|nie)\W+(?:\p{L}+\W+){0,3}?
        (?:merk|notier|speicher|behalt|behält|festh)\p{L}*
    | (?:(?:s['’]il\ (?:te|vous)\ plaît|je|tu|vous|et|mais|non|il)\W+){0,3}n(?:e\ |['’]\W*)
        (?:\p{L}+['’\ ]+){0,4}?
        (?:retiens|retenez|retenir|notes?|notez|noter|enregistr\p{L}+|souviens|souvenez|souvenir
          |mémoris\p{L}+|gardes?|gardez|garder|sauvegard\p{L}+)\b
    | (?:inutile\ (?:de|d['’])|sans)\W*(?:retenir|noter|enregistrer|mémoriser|garder)\b
    | (?:(?:por\ favor|y|pero|yo)\W+){0,2}no\W+(?:\p{L}+\W+){0,4}?
        (?:recuerdes?|recordar|recordarlo|guard(?:es?|ar|arlo)|anot(?:es?|ar|arlo)
          |registr(?:es?|ar)|memori(?:ces?|zar)|almacen(?:es?|ar))\b
    | (?:(?:por\ favor|e|mas|eu)\W+){0,2}não\W+(?:\p{L}+\W+){0,4}?
        (?:lembr(?:es?|ar)|guard(?:es?|ar)|anot(?:es?|ar)|registr(?:es?|ar)|memoriz(?:es?|ar)
          |grav(?:es?|ar)|armazen(?:es?|ar))\b
    | (?:(?:per\ favore|e|ma)\W+){0,2}non\W+(?:\p{L}+\W+){0,3}?
        (?:ricord(?:are|arti|i)|salv(?:are|i)|annot(?:are|i)|memorizz(?:are|i)|registr(?:are|i)
          |conserv(?:are|i))\b
    | (?:(?:alsjeblieft|graag|en|maar)\W+){0,2}(?:onthoud|noteer|bewaar|sla|registreer)\W+
        (?:(?:dit|het|er|ook|alsjeblieft)\W+){0,3}?(?:niet|nooit|niets)\b
    | (?:(?:пожалуйста|и|но)\W+){0,2}(?:не|нельзя|незачем)\W+(?:\p{L}+\W+){0,3}?
        (?:запомина|запомн|записыва|запис|сохраня|сохран)\p{L}*
    | (?:请)?(?:不要|别|不用|勿|不必|无需|请勿)(?:再)?(?:帮我)?(?:把.{0,30}?)?(?:记|保存|存|备忘)
    | (?:\p{L}+\ ){0,2}?لا\ (?:\p{L}+\ ){0,2}?(?:تتذكر|تحفظ|تسجل|تسجّل|تخزن|تخزّن|تدون)
    | .*(?:याद|नोट|सेव|दर्ज)\ (?:मत|न|नहीं)\ (?:रख|कर)
    | .*(?:覚え|記録し|保存し|メモし|記憶し)(?:ないで|なくて|ておかないで|ちゃだめ|てはいけ)
    )""",
    regex.VERBOSE | regex.IGNORECASE | regex.DOTALL,
)
# The same of taking back: "don't forget" asks for the opposite of what its verb says.
_KEEPS = regex.compile(
    r"""(?:(?:do|should|must|can|could|would)(?:n['’]?t|\ not)|cannot|never|not\ to)\W+
        (?:(?:ever|please|you|want|to|me|like|need|have|it|be)\W+){0,6}?
        (?:forg[eo]t|delet|remov|eras|drop|discard)\p{L}*
    | \b(?:vergi(?:ss|ß)|vergesst|vergessen\ sie|lösch\p{L}*|entfern\p{L}*|streich\p{L}*)\W+
        (?:(?:bitte|das|es|dies|davon|mir|ja|sie|auch)\W+){0,4}?(?:nicht|nie|niemals|nichts)\b
    | \bn(?:e\ |['’]\W*)(?:l['’]|les?\ |la\ )?(?:oubli|effac|supprim|retir)\p{L}*
    | \b(?:no|não|non)\W+(?:\p{L}{1,3}\W+){0,2}?(?:te\ )?
        (?:olvid|borr|elimin|suprim|esque[cç]|apag|remov|dimentic|cancell|rimuov)\p{L}*
    | \b(?:vergeet|wis|verwijder)\W+(?:(?:dit|het|dat|alsjeblieft)\W+){0,3}?(?:niet|nooit|niets)\b
    | \bне\W+(?:забы|забуд|удал|стира|убира)\p{L}*
    | (?:不要|别|勿|不用|请勿)(?:忘|删|清除)
    | لا\ (?:تنس|تحذف|تمسح)
    | (?:मत|न)\ (?:भूल|मिटा|हटा) | (?:भूल|मिटा|हटा)\p{L}*\ ?\p{M}*\ (?:मत|नहीं|न)\b
    | (?:忘れ|消さ|削除し)ないで""",
    regex.VERBOSE | regex.IGNORECASE,
)
_POINTS = 16  # characters behind the verb: "this, please", but no statement of its own


def declines(sentence: str) -> bool:
    """Whether a sentence asks not to have something remembered, noted or stored."""
    return _DECLINES.match(sentence) is not None


def keeps(sentence: str) -> bool:
    """Whether a sentence asks to have something kept that its verb would take back."""
    return _KEEPS.search(sentence) is not None


def unwanted(kept: str, message: str) -> bool:
    """Whether a message asks not to have `kept`, one or more of its sentences, remembered.

    By one of these, or by a sentence of the message that only points: "Don't store this."
    """
    if any(declines(kept[start:end]) for start, end in sentences(kept)):
        return True
    said = (message[start:end] for start, end in sentences(message))
    found = ((each, _DECLINES.match(each)) for each in said)
    return any(match and len(each) - match.end() <= _POINTS for each, match in found)
