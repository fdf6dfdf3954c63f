import type { Gold } from './curation.js';

/** Why gold that was taken is given to nobody, or may not be one day. */
export interface GoldWarning {
  readonly kind: 'NO_TASKS' | NonNullable<Gold['aside']>;
  readonly message: string;
  readonly golds: readonly Gold[];
}

const MESSAGES: Readonly<Record<GoldWarning['kind'], string>> = {
  NO_TASKS:
    'The project has no tasks yet: gold that experts could tell from those is set aside when they come.',
  NAME: 'Given to nobody: send it again with an externalId like those of the project’s tasks, or with none if they have none.',
  CONTENT_TYPE: 'Given to nobody: send it again with the contentType of the project’s tasks.',
  SIZE: 'Given to nobody while no task of the project has a payload of about its length.',
};

/** What is to be said of golds that were added, each kind once. */
export function warningsOf(golds: readonly Gold[], isBeforeTasks: boolean): GoldWarning[] {
  const about = (kind: GoldWarning['kind'], of: readonly Gold[]) =>
    of.length > 0 ? [{ kind, message: MESSAGES[kind], golds: of }] : [];
  const aside = golds.filter(({ state }) => state === 'ACTIVE');
  return [
    ...about('NO_TASKS', isBeforeTasks ? golds : []),
    ...(['NAME', 'CONTENT_TYPE', 'SIZE'] as const).flatMap((kind) =>
      about(
        kind,
        aside.filter((gold) => gold.aside === kind),
      ),
    ),
  ];
}
