"""`run_turn`: the loop of this workshop with everything that its parts add."""

from agent_turn import QUESTION, ROUNDS, in_own_home, warm

from harness import run_turn

__all__ = ["answer", "warm"]


def answer() -> str:
    return in_own_home(lambda: run_turn(QUESTION, max_iterations=ROUNDS).answer)


if __name__ == "__main__":
    print(answer())
