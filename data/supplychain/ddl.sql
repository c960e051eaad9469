-- SUPPLYCHAIN: seven tables, parents before children, a comment on every table and column.
-- The embedded database is built from this file and the CSVs beside it.

CREATE SCHEMA SUPPLYCHAIN;

CREATE TABLE SUPPLYCHAIN.carriers (
    carrier_id INTEGER PRIMARY KEY,
    name VARCHAR(40) NOT NULL UNIQUE,
    country VARCHAR(40) NOT NULL,
    alliance VARCHAR(20)
);

CREATE TABLE SUPPLYCHAIN.ports (
    port_id INTEGER PRIMARY KEY,
    unlocode VARCHAR(5) NOT NULL UNIQUE,
    name VARCHAR(40) NOT NULL,
    country VARCHAR(40) NOT NULL,
    ocean_region VARCHAR(20) NOT NULL,
    lat DOUBLE PRECISION NOT NULL,
    lon DOUBLE PRECISION NOT NULL
);

CREATE TABLE SUPPLYCHAIN.vessels (
    vessel_id INTEGER PRIMARY KEY,
    imo INTEGER NOT NULL UNIQUE,
    name VARCHAR(40) NOT NULL UNIQUE,
    carrier_id INTEGER NOT NULL REFERENCES SUPPLYCHAIN.carriers (carrier_id),
    capacity_teu INTEGER NOT NULL,
    built_year INTEGER NOT NULL,
    flag VARCHAR(40) NOT NULL
);

CREATE TABLE SUPPLYCHAIN.voyages (
    voyage_id INTEGER PRIMARY KEY,
    vessel_id INTEGER NOT NULL REFERENCES SUPPLYCHAIN.vessels (vessel_id),
    carrier_id INTEGER NOT NULL REFERENCES SUPPLYCHAIN.carriers (carrier_id),
    origin_port_id INTEGER NOT NULL REFERENCES SUPPLYCHAIN.ports (port_id),
    destination_port_id INTEGER NOT NULL REFERENCES SUPPLYCHAIN.ports (port_id),
    ocean_region VARCHAR(20) NOT NULL,
    status VARCHAR(12) NOT NULL,
    departed_at TIMESTAMP,
    eta TIMESTAMP NOT NULL,
    arrived_at TIMESTAMP,
    delay_hours INTEGER
);

CREATE TABLE SUPPLYCHAIN.vessel_positions (
    position_id INTEGER PRIMARY KEY,
    vessel_id INTEGER NOT NULL REFERENCES SUPPLYCHAIN.vessels (vessel_id),
    voyage_id INTEGER NOT NULL REFERENCES SUPPLYCHAIN.voyages (voyage_id),
    lat DOUBLE PRECISION NOT NULL,
    lon DOUBLE PRECISION NOT NULL,
    speed_knots DOUBLE PRECISION NOT NULL,
    observed_at TIMESTAMP NOT NULL
);

CREATE TABLE SUPPLYCHAIN.containers (
    container_id INTEGER PRIMARY KEY,
    container_no VARCHAR(11) NOT NULL UNIQUE,
    voyage_id INTEGER NOT NULL REFERENCES SUPPLYCHAIN.voyages (voyage_id),
    size_teu INTEGER NOT NULL,
    temperature_c DOUBLE PRECISION
);

CREATE TABLE SUPPLYCHAIN.cargo_items (
    item_id INTEGER PRIMARY KEY,
    container_id INTEGER NOT NULL REFERENCES SUPPLYCHAIN.containers (container_id),
    hs_code VARCHAR(6) NOT NULL,
    description VARCHAR(60) NOT NULL,
    quantity INTEGER NOT NULL,
    unit_value_cents BIGINT NOT NULL,
    weight_kg INTEGER NOT NULL
);

COMMENT ON TABLE SUPPLYCHAIN.carriers IS 'Shipping companies that own vessels and operate voyages.';
COMMENT ON COLUMN SUPPLYCHAIN.carriers.carrier_id IS 'Key of the carrier.';
COMMENT ON COLUMN SUPPLYCHAIN.carriers.name IS 'Name of the carrier.';
COMMENT ON COLUMN SUPPLYCHAIN.carriers.country IS 'Country in which the carrier is registered.';
COMMENT ON COLUMN SUPPLYCHAIN.carriers.alliance IS 'Vessel-sharing alliance of the carrier; NULL where it has none.';

COMMENT ON TABLE SUPPLYCHAIN.ports IS 'Sea ports where voyages begin and end.';
COMMENT ON COLUMN SUPPLYCHAIN.ports.port_id IS 'Key of the port.';
COMMENT ON COLUMN SUPPLYCHAIN.ports.unlocode IS 'UN/LOCODE of the port, five letters: two for the country, three for the place.';
COMMENT ON COLUMN SUPPLYCHAIN.ports.name IS 'Name of the port.';
COMMENT ON COLUMN SUPPLYCHAIN.ports.country IS 'Country of the port.';
COMMENT ON COLUMN SUPPLYCHAIN.ports.ocean_region IS 'Ocean region in which the port lies.';
COMMENT ON COLUMN SUPPLYCHAIN.ports.lat IS 'Latitude of the port in decimal degrees, north positive.';
COMMENT ON COLUMN SUPPLYCHAIN.ports.lon IS 'Longitude of the port in decimal degrees, east positive.';

COMMENT ON TABLE SUPPLYCHAIN.vessels IS 'Container ships.';
COMMENT ON COLUMN SUPPLYCHAIN.vessels.vessel_id IS 'Key of the vessel.';
COMMENT ON COLUMN SUPPLYCHAIN.vessels.imo IS 'IMO number of the vessel, seven digits, the last one a check digit.';
COMMENT ON COLUMN SUPPLYCHAIN.vessels.name IS 'Name of the vessel.';
COMMENT ON COLUMN SUPPLYCHAIN.vessels.carrier_id IS 'Carrier that owns the vessel.';
COMMENT ON COLUMN SUPPLYCHAIN.vessels.capacity_teu IS 'Capacity of the vessel in TEU, twenty-foot equivalent units: a number of containers, never tons.';
COMMENT ON COLUMN SUPPLYCHAIN.vessels.built_year IS 'Year in which the vessel was built.';
COMMENT ON COLUMN SUPPLYCHAIN.vessels.flag IS 'Flag state of the vessel.';

COMMENT ON TABLE SUPPLYCHAIN.voyages IS 'Voyages of vessels from one port to another. Snapshot of 2026-06-30, 12:00 UTC: today is 2026-06-30. All times are UTC.';
COMMENT ON COLUMN SUPPLYCHAIN.voyages.voyage_id IS 'Key of the voyage.';
COMMENT ON COLUMN SUPPLYCHAIN.voyages.vessel_id IS 'Vessel that sails the voyage.';
COMMENT ON COLUMN SUPPLYCHAIN.voyages.carrier_id IS 'Carrier that operates the voyage; on a chartered vessel it is not the owner.';
COMMENT ON COLUMN SUPPLYCHAIN.voyages.origin_port_id IS 'Port where the voyage begins (origin).';
COMMENT ON COLUMN SUPPLYCHAIN.voyages.destination_port_id IS 'Port where the voyage ends (destination).';
COMMENT ON COLUMN SUPPLYCHAIN.voyages.ocean_region IS 'Ocean region of the voyage: that of its destination port.';
COMMENT ON COLUMN SUPPLYCHAIN.voyages.status IS 'Status of the voyage: SCHEDULED (planned), LOADING (in the origin port), IN_TRANSIT (at sea), DELAYED (at sea, a day or more late), ARRIVED, or CANCELLED (never sailed).';
COMMENT ON COLUMN SUPPLYCHAIN.voyages.departed_at IS 'Time of departure from the origin port; NULL before it.';
COMMENT ON COLUMN SUPPLYCHAIN.voyages.eta IS 'Estimated time of arrival (ETA) as planned at first; delays do not change it.';
COMMENT ON COLUMN SUPPLYCHAIN.voyages.arrived_at IS 'Time of arrival at the destination port; NULL unless the status is ARRIVED.';
COMMENT ON COLUMN SUPPLYCHAIN.voyages.delay_hours IS 'Delay against the ETA in hours: actual for ARRIVED (0 when on time or early), expected at sea; NULL before departure.';

COMMENT ON TABLE SUPPLYCHAIN.vessel_positions IS 'Observed positions of vessels at sea; the latest one has the greatest observed_at.';
COMMENT ON COLUMN SUPPLYCHAIN.vessel_positions.position_id IS 'Key of the position.';
COMMENT ON COLUMN SUPPLYCHAIN.vessel_positions.vessel_id IS 'Vessel that was observed.';
COMMENT ON COLUMN SUPPLYCHAIN.vessel_positions.voyage_id IS 'Voyage that the vessel was on.';
COMMENT ON COLUMN SUPPLYCHAIN.vessel_positions.lat IS 'Latitude of the vessel in decimal degrees, north positive.';
COMMENT ON COLUMN SUPPLYCHAIN.vessel_positions.lon IS 'Longitude of the vessel in decimal degrees, east positive.';
COMMENT ON COLUMN SUPPLYCHAIN.vessel_positions.speed_knots IS 'Speed of the vessel in knots (nautical miles an hour).';
COMMENT ON COLUMN SUPPLYCHAIN.vessel_positions.observed_at IS 'Time of the observation.';

COMMENT ON TABLE SUPPLYCHAIN.containers IS 'Containers booked on a voyage.';
COMMENT ON COLUMN SUPPLYCHAIN.containers.container_id IS 'Key of the container.';
COMMENT ON COLUMN SUPPLYCHAIN.containers.container_no IS 'Number painted on the container: owner code, six digits and a check digit (ISO 6346).';
COMMENT ON COLUMN SUPPLYCHAIN.containers.voyage_id IS 'Voyage on which the container is booked.';
COMMENT ON COLUMN SUPPLYCHAIN.containers.size_teu IS 'Size of the container in TEU, twenty-foot equivalent units: 1 is twenty feet long, 2 is forty.';
COMMENT ON COLUMN SUPPLYCHAIN.containers.temperature_c IS 'Temperature in degrees Celsius inside a refrigerated container (reefer); NULL for a dry container.';

COMMENT ON TABLE SUPPLYCHAIN.cargo_items IS 'Lines of cargo inside containers; an empty container has none.';
COMMENT ON COLUMN SUPPLYCHAIN.cargo_items.item_id IS 'Key of the cargo item.';
COMMENT ON COLUMN SUPPLYCHAIN.cargo_items.container_id IS 'Container that holds the item.';
COMMENT ON COLUMN SUPPLYCHAIN.cargo_items.hs_code IS 'Harmonized System (HS) code of the goods, six digits as text, leading zeros kept.';
COMMENT ON COLUMN SUPPLYCHAIN.cargo_items.description IS 'What the goods are.';
COMMENT ON COLUMN SUPPLYCHAIN.cargo_items.quantity IS 'Number of units.';
COMMENT ON COLUMN SUPPLYCHAIN.cargo_items.unit_value_cents IS 'Value of one unit in US cents, never dollars.';
COMMENT ON COLUMN SUPPLYCHAIN.cargo_items.weight_kg IS 'Weight of the whole line in kilograms.';
