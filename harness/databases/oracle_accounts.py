"""The accounts in Oracle AI Database: the owner of the data, its reader, the agent."""

from dataclasses import dataclass, replace

from harness.databases.oracle_catalogue import ORDINARY
from harness.databases.row_policy import OWNER
from harness.errors import WorkshopError
from harness.settings import Settings


@dataclass(frozen=True)
class Accounts:
    """Who owns what. Without `agent`, only the business data is set up."""

    reader: str
    reader_password: str
    agent: str = ""
    agent_password: str = ""
    data: str = OWNER

    @classmethod
    def of(cls, settings: Settings) -> "Accounts":
        """The accounts that the settings name. Raises WorkshopError for a name or password that
        no statement can hold."""
        found = cls(
            _account(settings.oracle_user, "ORACLE_USER"),
            _password(settings.oracle_password, "ORACLE_PASSWORD"),
        )
        if not settings.oracle_agent_user:
            return found
        return replace(
            found,
            agent=_account(settings.oracle_agent_user, "ORACLE_AGENT_USER"),
            agent_password=_password(settings.oracle_agent_password, "ORACLE_AGENT_PASSWORD"),
        )


def _account(name: str | None, setting: str) -> str:
    account = (name or "").upper()
    if not ORDINARY.match(account) or len(account) > 128:
        raise WorkshopError(
            f"{setting} can't be the name of an account.",
            "Use letters, digits and _, beginning with a letter.",
        )
    return account


def _password(text: str | None, setting: str) -> str:
    if not text or '"' in text or "\0" in text or len(text.encode()) > 1024:
        raise WorkshopError(
            f"{setting} is missing, or holds a quotation mark.",
            "Put a password of at least 12 characters into .env.",
        )
    return f'"{text}"'
