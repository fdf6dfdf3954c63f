import { useState } from 'react';
import { Button as AriaButton } from 'react-aria-components/Button';
import { DropZone } from 'react-aria-components/DropZone';
import { FileTrigger } from 'react-aria-components/FileTrigger';
import { Text } from 'react-aria-components/Text';
import { bytes } from '../parts/format.js';
import { LOOKED_AT_BYTES, type Preview, previewOf } from './preview.js';
import { keyFor } from './send-file.js';
import { type Chosen, UploadForm } from './upload-form.js';
import { UploadedBatch } from './uploaded-batch.js';

interface UploadProps {
  readonly projectId: string;
  /** A batch has been taken in. */
  readonly onUploaded: () => void;
}

/** Brings more work: a file is looked at here first, then sent, and what of it is no task is said row by row. */
export function Upload({ projectId, onUploaded }: UploadProps) {
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const [batchId, setBatchId] = useState<string | null>(null);
  const [isUnreadable, setUnreadable] = useState(false);
  const choose = async (file: File | undefined) => {
    if (file !== undefined) {
      setBatchId(null);
      const looked = await lookedAt(projectId, file);
      setChosen(looked);
      setUnreadable(looked === null);
    }
  };
  return (
    <section className="card" aria-labelledby="upload-title">
      <h2 id="upload-title">Upload a batch</h2>
      {chosen === null ? (
        <>
          <Choose onChoose={(file) => void choose(file)} />
          {isUnreadable ? (
            <p role="alert" className="fault">
              This file cannot be read: it may have been moved or changed, or be a folder.
            </p>
          ) : null}
        </>
      ) : (
        <>
          <PreviewOf chosen={chosen} />
          <UploadForm
            key={`${chosen.key} ${chosen.file.name}`}
            projectId={projectId}
            chosen={chosen}
            onCancel={() => setChosen(null)}
            onDone={(id) => {
              setChosen(null);
              setBatchId(id);
              onUploaded();
            }}
          />
        </>
      )}
      {batchId === null ? null : <UploadedBatch key={batchId} batchId={batchId} onStored={onUploaded} />}
    </section>
  );
}

function Choose({ onChoose }: { onChoose: (file: File | undefined) => void }) {
  return (
    <DropZone
      className="drop-zone"
      onDrop={async ({ items }) => {
        const item = items.find(({ kind }) => kind === 'file');
        onChoose(item?.kind === 'file' ? await item.getFile() : undefined);
      }}
    >
      <Text slot="label">Drop a JSONL or CSV file here, or</Text>
      <FileTrigger
        acceptedFileTypes={['.jsonl', '.ndjson', '.json', '.csv']}
        onSelect={(files) => onChoose(files?.[0])}
      >
        <AriaButton className="button button-plain">choose one</AriaButton>
      </FileTrigger>
      <p className="hint">
        JSONL: one JSON object a line, the item itself or <code>{'{"payload": …, "externalId": …}'}</code>.
        CSV: a header, then an item a row; a column <code>id</code> names it.
      </p>
    </DropZone>
  );
}

function PreviewOf({ chosen: { file, preview } }: { chosen: Chosen }) {
  const { rows, isPart, first, format, columns } = preview;
  return (
    <div className="preview">
      <p>
        <strong>{file.name}</strong>, {bytes(file.size)} of {format.toUpperCase()}:{' '}
        {isPart ? 'more than ' : ''}
        {rows.toLocaleString()} {rows === 1 ? 'row' : 'rows'}
        {columns.length > 0 ? ` of ${columns.length} columns (${columns.slice(0, 8).join(', ')})` : ''}.
      </p>
      <Faults preview={preview} />
      <ol className="preview-rows">
        {first.map(({ line, text, fault }) => (
          <li key={line} className={fault === null ? '' : 'fault'}>
            <code>{text}</code>
          </li>
        ))}
      </ol>
      {rows > first.length ? <p className="hint">The first {first.length} are shown.</p> : null}
    </div>
  );
}

const FAULTS_SHOWN = 10;

function outcomeOf(faults: number, rows: number): string {
  if (rows === 0) {
    return 'There is no row in this file.';
  }
  if (faults === rows) {
    return 'No row of this file looks like a task.';
  }
  return `${faults === 1 ? '1 row' : `${faults.toLocaleString()} rows`} will be left out; the others are taken.`;
}

function Faults({ preview: { faults, rows } }: { preview: Preview }) {
  if (faults.length === 0 && rows > 0) {
    return null;
  }
  return (
    <div role="alert">
      <p className="fault">{outcomeOf(faults.length, rows)}</p>
      <ul className="faults">
        {faults.slice(0, FAULTS_SHOWN).map(({ line, fault, text }) => (
          <li key={line}>
            Row {line} {fault}: <code>{text.slice(0, 80)}</code>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Null where it cannot be read. */
async function lookedAt(projectId: string, file: File): Promise<Chosen | null> {
  const isPart = file.size > LOOKED_AT_BYTES;
  try {
    const text = await file.slice(0, LOOKED_AT_BYTES).text();
    return { file, preview: previewOf(file.name, text, isPart), key: keyFor(projectId, file) };
  } catch {
    return null;
  }
}
