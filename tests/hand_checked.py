"""Twenty answers of the stand-in, each judged by a person against the CSV files and the stores.

True: the goal was reached. Beside each stands what was looked at. Where one is False, a program
that said True would be too lenient.
"""

VERDICTS = {
    "count": True,  # "11 voyages": 11 rows of voyages.csv are DELAYED
    "follow-up": True,  # "7 voyages": 7 of the 11 are in the PACIFIC
    "cancelled": True,  # "32 voyages": 32 rows are CANCELLED
    "no such year": True,  # "0 voyages": no departed_at begins with 2019
    "malta": True,  # Amber Meadow, Ivory Ember, Quiet Ember, Winter Plover: the four of the file
    "oldest": True,  # three of 2001: Distant Orchard, Quiet Ember, Quiet Petrel
    "coldest": True,  # -25.8, in three containers
    "by alliance": True,  # Meridian 27, Polaris 19
    "top goods": True,  # steel coil, bicycles, wine, tyres, batteries, with the sums of the file
    "owner": True,  # Halvorsen Line is the carrier of Amber Petrel
    "percentile": True,  # 15, 35.2, 41, 24.9: interpolated by hand over the sorted delays
    "worth": True,  # 8,869,207.65 dollars: cents summed over the 1400's containers
    "not there": True,  # it says that the data knows no profit
    "old rate limit": True,  # 60 a minute, from the article of v1.4
    "ticket of a bug": True,  # one row in tickets: bug, high
    "a word that changes": True,  # "29 voyages": 29 rows have more than 48 hours
    "its flag": False,  # asked for one vessel's flag, it listed all flags with counts
    "in tonnes": False,  # "4312000 tonnes": those are kilograms
    "half a JSON once": False,  # "none voyages": there are 11, the result was torn
    "three counts": False,  # it asked back instead of giving three counts
}
