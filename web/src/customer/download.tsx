import { useState } from 'react';
import { authorisedFetch } from '../api/authorised-fetch.js';
import { Button } from '../parts/button.js';

interface File {
  readonly what: 'answers' | 'results';
  readonly format: 'csv' | 'jsonl';
  readonly name: string;
}

const FILES: readonly File[] = [
  { what: 'results', format: 'csv', name: 'Results, CSV' },
  { what: 'answers', format: 'csv', name: 'Answers, CSV' },
  { what: 'answers', format: 'jsonl', name: 'Answers, JSONL' },
];

type State =
  | { readonly kind: 'IDLE' }
  | { readonly kind: 'BUSY' }
  | { readonly kind: 'FAILED'; readonly message: string };

interface Named {
  readonly id: string;
  readonly name: string;
}

/** Everything that came of a project, as files. */
export function Download({ project, isEmpty }: { project: Named; isEmpty: boolean }) {
  const [state, setState] = useState<State>({ kind: 'IDLE' });
  const save = async (file: File) => {
    setState({ kind: 'BUSY' });
    const message = await saved(project, file);
    setState(message === null ? { kind: 'IDLE' } : { kind: 'FAILED', message });
  };
  return (
    <section className="card">
      <h2>Download</h2>
      <p>
        Results are what the answers of each finished task amount to, with how sure that is. Answers are all
        that came in, each with its receipt’s digest.
      </p>
      <div className="download-buttons">
        {FILES.map((file) => (
          <Button
            key={file.name}
            isDisabled={isEmpty || state.kind === 'BUSY'}
            onPress={() => void save(file)}
          >
            {file.name}
          </Button>
        ))}
      </div>
      <p role="status" className={state.kind === 'FAILED' ? 'fault' : 'hint'}>
        {isEmpty ? 'There are no answers yet.' : null}
        {state.kind === 'BUSY' ? 'Getting the file …' : null}
        {state.kind === 'FAILED' ? state.message : null}
      </p>
    </section>
  );
}

/** Null, or why it could not be had. What breaks off half way fails as a whole: half a file looks like all of it. */
async function saved({ id, name }: Named, { what, format }: File): Promise<string | null> {
  try {
    const response = await authorisedFetch(`/v1/projects/${encodeURIComponent(id)}/${what}?format=${format}`);
    if (!response.ok) {
      return `The server answers with status ${response.status}. Try again later.`;
    }
    const link = document.createElement('a');
    link.href = URL.createObjectURL(await response.blob());
    link.download = `${fileNameOf(name)}-${what}.${format}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    return null;
  } catch {
    return 'The file broke off on its way, and nothing was saved. Try again.';
  }
}

/** A project's name as part of a file's: no sign that a system reads as something else. */
const fileNameOf = (name: string): string =>
  name
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60)
    .toLowerCase() || 'project';
