import type { Answer } from '../../client/answer.js';
import { type Character, normal } from '../../runtime/demo/characters.js';
import { type LivelyKind, rightAnswerOf } from '../../runtime/demo/lively-work.js';
import type { Random } from '../../services/platform/random.js';

/** An answer as this expert gives it: right as often as they are, and as sure as such people say they are. */
export function judge(
  character: Character,
  { kind, externalId }: { kind: LivelyKind; externalId: string },
  random: Random,
): Answer {
  const accuracy = character.accuracy(kind.skill);
  const right = rightAnswerOf(kind, externalId);
  const others = kind.answers.filter((_answer, n) => n !== right);
  const given = random() < accuracy ? kind.answers[right] : others[Math.floor(random() * others.length)];
  const confidence = Math.min(0.99, Math.max(0.5, accuracy + 0.08 * normal(random)));
  return {
    answer: given ?? {},
    ...(random() < 0.7 ? { confidence: Math.round(confidence * 100) / 100 } : {}),
  };
}
