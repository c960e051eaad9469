"""Words that end with a stop in mid-sentence, in lower case and without it.

One letter ("J."), letters with stops between ("z.B.", "U.S.") and short numbers need no row here.
"""

ABBREVIATIONS = frozenset(
    """
    mr mrs ms dr prof st sr jr rev gen col capt lt sgt hon messrs
    approx est max min avg no nos vs viz cf incl excl etc esp fig figs eq sec ch vol p pp ed eds
    dept div inc ltd co corp bros plc tel ext ref op resp temp std
    jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun
    bzw ca evtl ggf inkl exkl zzgl usw vgl nr str hr fr bspw sog tgl allg abs art
    env av bd mme mlle éd chap
    sra srta dra dña núm pág aprox ej
    sig dott ing avv ecc
    dhr mevr bijv enz
    руб тыс млн млрд гг стр рис напр см
    """.split()
)
