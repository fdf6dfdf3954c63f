import type { IdCodec } from '../platform/ids.js';
import type { ExportedAnswer } from './export.js';
import type { ExportedResult } from './export-results.js';

export interface LinesOptions {
  readonly format: 'csv' | 'jsonl';
  /** The project's id as it was given. */
  readonly project: string;
  readonly ids: IdCodec;
  /** Without who answered, for whoever must not know: customers. */
  readonly isAnonymous?: boolean;
}

const COLUMNS = [
  'item',
  'worker',
  'label',
  'assignment_id',
  'epoch',
  'submitted_at',
  'digest',
  'price_minor',
  'currency',
  'batch',
  'project',
  'kind',
] as const;

const RESULT_COLUMNS = [
  'item',
  'dimension',
  'label',
  'probability',
  'calibrated',
  'method',
  'version',
  'answers',
  'adjudicated',
  'newcomers_alone',
  'batch',
  'project',
] as const;

/** Answers as text to write: CSV (RFC 4180, with a header) or one JSON object a line. */
export async function* exportedLines(
  answers: AsyncIterable<ExportedAnswer>,
  options: LinesOptions,
): AsyncGenerator<string> {
  if (options.format === 'csv') {
    yield `${columnsFor(options).join(',')}\n`;
  }
  for await (const answer of answers) {
    yield options.format === 'csv' ? csvLine(answer, options) : jsonLine(answer, options);
  }
}

/** Results of tasks as text to write: likewise. */
export async function* resultLines(
  results: AsyncIterable<ExportedResult>,
  { format, project, ids }: LinesOptions,
): AsyncGenerator<string> {
  if (format === 'csv') {
    yield `${RESULT_COLUMNS.join(',')}\n`;
  }
  for await (const { taskId, item, isAdjudicated, isCalibrated, isByNewcomersAlone, ...result } of results) {
    const fields = {
      ...result,
      item: item ?? ids.encode('Task', taskId),
      adjudicated: isAdjudicated,
      calibrated: isCalibrated,
      newcomers_alone: isByNewcomersAlone,
      project,
    };
    yield format === 'csv'
      ? `${RESULT_COLUMNS.map((column) => csvField(String(fields[column] ?? ''))).join(',')}\n`
      : `${JSON.stringify(fields)}\n`;
  }
}

type Column = (typeof COLUMNS)[number];

const columnsFor = ({ isAnonymous = false }: LinesOptions): readonly Column[] =>
  isAnonymous ? COLUMNS.filter((column) => column !== 'worker') : COLUMNS;

function csvLine(answer: ExportedAnswer, options: LinesOptions): string {
  const fields = fieldsOf(answer, options);
  return `${columnsFor(options)
    .map((column) => csvField(String(fields[column])))
    .join(',')}\n`;
}

function jsonLine(answer: ExportedAnswer, options: LinesOptions): string {
  const all = fieldsOf(answer, options);
  const fields = Object.fromEntries(columnsFor(options).map((column) => [column, all[column]]));
  return `${JSON.stringify({ ...fields, answer: JSON.parse(answer.body) })}\n`;
}

function fieldsOf(answer: ExportedAnswer, { ids, project }: LinesOptions): Record<Column, unknown> {
  return {
    item: answer.item ?? ids.encode('Task', answer.taskId),
    worker: answer.worker,
    label: answer.label,
    assignment_id: ids.encode('Assignment', answer.assignmentId),
    epoch: answer.epoch,
    submitted_at: answer.submittedAt.toISOString(),
    digest: answer.digest,
    price_minor: answer.priceMinor.toString(),
    currency: answer.currency,
    batch: answer.batch,
    project,
    kind: answer.kind,
  };
}

function csvField(value: string): string {
  return /[",\r\n]|^\s|\s$/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
