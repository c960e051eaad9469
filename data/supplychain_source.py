"""What make_supplychain.py starts from: carriers, ports, sea lanes, products and names.

Carriers and vessels are invented. Ports are real: UN/LOCODE and position. Positions are whole
hundredths of a degree (north and east positive), so that no float decides anything.
"""

# name, country, alliance, home region, vessels, chance of a delay in percent
CARRIERS = [
    ("Halvorsen Line", "Norway", "Meridian", "ATLANTIC", 7, 24),
    ("Kestrel Ocean", "United Kingdom", "Meridian", "ATLANTIC", 6, 41),
    ("Bluewake Shipping", "Denmark", "Polaris", "ATLANTIC", 5, 33),
    ("Sundara Shipping", "India", "Meridian", "INDIAN", 6, 52),
    ("Okafor Maritime", "Nigeria", None, "ATLANTIC", 2, 61),
    ("Santa Ria Lines", "Brazil", None, "ATLANTIC", 3, 38),
    ("Pelagia Liner", "Greece", "Polaris", "MEDITERRANEAN", 4, 47),
    ("Kumo Lines", "Japan", "Polaris", "PACIFIC", 6, 15),
    ("Longma Container", "China", "Meridian", "PACIFIC", 8, 36),
    ("Corvane", "France", None, "MEDITERRANEAN", 2, 44),
    ("Auriga Container Line", "Germany", "Polaris", "ATLANTIC", 4, 29),
    ("Tasmara", "Australia", None, "PACIFIC", 2, 27),
    ("Northlight Carriers", "Canada", None, "PACIFIC", 3, 20),
    ("Jazira Gulf Lines", "United Arab Emirates", None, "INDIAN", 1, 58),
    ("Andinave", "Peru", None, "PACIFIC", 1, 66),
]

# UN/LOCODE, name, country, ocean region, latitude, longitude, weight, sea node
PORTS = [
    ("CNSHA", "Shanghai", "China", "PACIFIC", 3123, 12147, 10, "ecs"),
    ("SGSIN", "Singapore", "Singapore", "PACIFIC", 127, 10385, 9, "sing"),
    ("KRPUS", "Busan", "South Korea", "PACIFIC", 3510, 12904, 6, "kors"),
    ("JPYOK", "Yokohama", "Japan", "PACIFIC", 3545, 13964, 5, "japs"),
    ("VNSGN", "Ho Chi Minh City", "Viet Nam", "PACIFIC", 1077, 10671, 3, "scs"),
    ("USLAX", "Los Angeles", "United States", "PACIFIC", 3374, -11826, 7, "usw"),
    ("CAVAN", "Vancouver", "Canada", "PACIFIC", 4929, -12311, 3, "juan"),
    ("PECLL", "Callao", "Peru", "PACIFIC", -1205, -7715, 2, "peru"),
    ("AUSYD", "Sydney", "Australia", "PACIFIC", -3386, 15121, 3, "tasn"),
    ("NZAKL", "Auckland", "New Zealand", "PACIFIC", -3684, 17477, 2, "ncape"),
    ("NLRTM", "Rotterdam", "Netherlands", "ATLANTIC", 5192, 448, 9, "nsea"),
    ("BEANR", "Antwerp", "Belgium", "ATLANTIC", 5126, 440, 6, "nsea"),
    ("DEHAM", "Hamburg", "Germany", "ATLANTIC", 5354, 997, 6, "bight"),
    ("GBFXT", "Felixstowe", "United Kingdom", "ATLANTIC", 5195, 135, 4, "nsea"),
    ("USNYC", "New York", "United States", "ATLANTIC", 4068, -7405, 6, "nyc"),
    ("USSAV", "Savannah", "United States", "ATLANTIC", 3208, -8109, 4, "sav"),
    ("BRSSZ", "Santos", "Brazil", "ATLANTIC", -2396, -4632, 4, "sant"),
    ("ZACPT", "Cape Town", "South Africa", "ATLANTIC", -3391, 1843, 2, "cape"),
    ("AEJEA", "Jebel Ali", "United Arab Emirates", "INDIAN", 2501, 5506, 7, "horm"),
    ("LKCMB", "Colombo", "Sri Lanka", "INDIAN", 695, 7984, 6, "lanka"),
    ("INNSA", "Nhava Sheva", "India", "INDIAN", 1895, 7295, 5, "bomb"),
    ("MYPKG", "Port Klang", "Malaysia", "INDIAN", 300, 10140, 5, "klang"),
    ("KEMBA", "Mombasa", "Kenya", "INDIAN", -404, 3967, 2, "moma"),
    ("ZADUR", "Durban", "South Africa", "INDIAN", -2987, 3102, 3, "durb"),
    ("AUFRE", "Fremantle", "Australia", "INDIAN", -3205, 11574, 2, "freo"),
    ("ESVLC", "Valencia", "Spain", "MEDITERRANEAN", 3945, -32, 4, "vale"),
    ("ITGOA", "Genoa", "Italy", "MEDITERRANEAN", 4440, 893, 3, "ligu"),
    ("GRPIR", "Piraeus", "Greece", "MEDITERRANEAN", 3794, 2364, 5, "aege"),
    ("EGPSD", "Port Said", "Egypt", "MEDITERRANEAN", 3126, 3231, 3, "said"),
    ("MTMAR", "Marsaxlokk", "Malta", "MEDITERRANEAN", 3583, 1455, 2, "malta"),
]

# Points at sea; a route runs from one to the next, so that a position is never on land.
SEA = {
    "ecs": (3050, 12400), "kors": (3400, 12930), "japs": (3330, 13800), "npw": (4200, 16500),
    "npc": (4500, -17500), "npe": (4300, -14000), "juan": (4850, -12560), "usw": (3350, -12200),
    "cams": (2000, -11000), "panw": (650, -8050), "pane": (980, -7990), "wind": (2000, -7400),
    "peru": (-1220, -7800), "luzon": (2050, 12100), "scs": (900, 10900), "sing": (120, 10450),
    "guam": (1200, 14500), "solo": (-400, 15500), "coral": (-1600, 15700), "tasn": (-3200, 15500),
    "ncape": (-3400, 17400), "spw": (-2000, -16500), "spe": (-2200, -12000),
    "klang": (290, 10080), "mala": (600, 9550), "lanka": (570, 8000), "comor": (750, 7700),
    "bomb": (1850, 7200), "horm": (2630, 5650), "oman": (2250, 6050), "soco": (1350, 5200),
    "aden": (1220, 4600), "bab": (1260, 4340), "reds": (2000, 3850), "suez": (2980, 3260),
    "moma": (-420, 4050), "moza": (-1700, 4150), "durb": (-3030, 3180), "agul": (-3550, 2000),
    "freo": (-3200, 11500), "sunda": (-620, 10480), "said": (3150, 3230), "crete": (3420, 2400),
    "aege": (3640, 2340), "malta": (3550, 1500), "tunis": (3780, 1120), "tyrr": (4000, 1120),
    "ligu": (4330, 970), "balea": (3830, 200), "vale": (3940, 20), "gibr": (3595, -550),
    "stvin": (3680, -930), "finis": (4350, -1000), "ushan": (4880, -600), "dover": (5100, 150),
    "nsea": (5200, 310), "bight": (5410, 780), "azor": (4000, -4000), "nyc": (4020, -7300),
    "sav": (3180, -8000), "baha": (2450, -7350), "canar": (2700, -1850), "verde": (1500, -1850),
    "guin": (300, -1200), "recif": (-750, -3350), "frio": (-2350, -4100), "sant": (-2430, -4600),
    "cape": (-3380, 1780),
}  # fmt: skip

LANES = """
ecs-kors ecs-japs kors-japs japs-npw npw-npc npc-npe npe-juan npe-usw juan-usw usw-cams cams-panw
panw-pane panw-peru pane-wind wind-baha baha-sav baha-nyc sav-nyc wind-azor ecs-luzon japs-guam
luzon-scs luzon-guam scs-sing guam-solo solo-coral coral-tasn tasn-ncape ncape-spw spw-usw spw-spe
spe-peru coral-ncape sing-klang klang-mala mala-lanka lanka-comor comor-bomb comor-soco bomb-oman
oman-horm oman-soco soco-aden aden-bab bab-reds reds-suez suez-said lanka-moma soco-moma moma-moza
moza-durb durb-agul agul-cape lanka-freo durb-freo sing-sunda sunda-freo said-crete said-aege
crete-aege crete-malta malta-tunis tunis-tyrr tyrr-ligu tunis-balea ligu-balea balea-vale
balea-gibr vale-gibr gibr-stvin stvin-finis stvin-canar stvin-azor finis-ushan ushan-dover
dover-nsea nsea-bight ushan-azor azor-nyc azor-sav canar-verde verde-guin guin-cape verde-recif
finis-canar recif-frio frio-sant frio-cape recif-baha
"""

# HS code, description, cents a unit (from, to), grams a unit, temperature in tenths or None
PRODUCTS = [
    ("080390", "Bananas, fresh", 1400, 2300, 18140, 133),
    ("080440", "Avocados, fresh", 1800, 3900, 4000, 55),
    ("080510", "Oranges, fresh", 900, 1900, 15000, 45),
    ("020230", "Beef, boneless, frozen", 9000, 17000, 20000, -200),
    ("030617", "Shrimps, frozen", 6500, 12500, 10000, -220),
    ("030389", "Fish, frozen", 2500, 6000, 10000, -250),
    ("040690", "Cheese", 5500, 12000, 10000, 40),
    ("060311", "Roses, cut", 2200, 4800, 3500, 20),
    ("300241", "Vaccines", 45000, 190000, 1200, 50),
    ("220421", "Wine, bottled", 3000, 15000, 9000, None),
    ("090111", "Coffee, green", 21000, 39000, 60000, None),
    ("180100", "Cocoa beans", 23000, 52000, 62500, None),
    ("100630", "Rice, milled", 1700, 3400, 25000, None),
    ("150920", "Olive oil, extra virgin", 4800, 9900, 5000, None),
    ("300490", "Medicines, packed", 5000, 60000, 900, None),
    ("390110", "Polyethylene granules", 2500, 4200, 25000, None),
    ("401110", "Tyres for cars", 3500, 9500, 9500, None),
    ("480257", "Paper, uncoated", 1900, 3300, 12500, None),
    ("490199", "Books", 400, 1800, 600, None),
    ("520100", "Cotton, raw", 31000, 52000, 220000, None),
    ("610910", "T-shirts, cotton", 250, 1200, 180, None),
    ("620342", "Trousers, cotton", 700, 3200, 550, None),
    ("640399", "Footwear, leather", 1500, 6500, 1100, None),
    ("690721", "Ceramic tiles", 1100, 2900, 22000, None),
    ("720839", "Steel coil, hot rolled", 480000, 790000, 8000000, None),
    ("740311", "Copper cathodes", 1900000, 2500000, 2500000, None),
    ("841810", "Refrigerators", 21000, 78000, 68000, None),
    ("845011", "Washing machines", 18000, 62000, 64000, None),
    ("847130", "Laptops", 32000, 145000, 2300, None),
    ("850760", "Lithium-ion batteries", 9000, 42000, 11000, None),
    ("851713", "Smartphones", 11000, 82000, 420, None),
    ("852872", "Television sets", 13000, 88000, 15500, None),
    ("854143", "Solar panels", 6200, 14500, 21000, None),
    ("870899", "Car parts", 1500, 26000, 6500, None),
    ("871200", "Bicycles", 9000, 98000, 14000, None),
    ("940360", "Furniture, wooden", 4500, 39000, 28000, None),
    ("950300", "Toys", 300, 4200, 700, None),
]

FLAGS = [("Panama", 8), ("Liberia", 8), ("Marshall Islands", 6), ("Singapore", 4), ("Malta", 3),
         ("Portugal", 2), ("Cyprus", 2), ("Denmark", 1), ("Bahamas", 1)]  # fmt: skip

FIRST_NAMES = "Amber Silver Quiet Copper Winter Ivory Bright Distant Velvet Golden Hollow Early"
SECOND_NAMES = (
    "Heron Petrel Meadow Lantern Harbour Willow Comet Orchard Falcon Compass Marigold Sparrow "
    "Juniper Cascade Ember Thistle Beacon Otter Saffron Plover"
)
OWNER_CODES = ("HVLU", "KSOU", "BWKU", "SDRU", "KMOU", "LGMU", "AURU", "TXRU")
