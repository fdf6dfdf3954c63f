/** How often something happened in each part of the time, as bars; the newest on the right. */
export function Pulse({ parts, seconds }: { parts: readonly number[]; seconds: number }) {
  const most = Math.max(1, ...parts);
  const width = 100 / parts.length;
  return (
    <svg
      className="pulse"
      viewBox="0 0 100 24"
      preserveAspectRatio="none"
      role="img"
      aria-label={said(parts, seconds)}
    >
      {parts.map((count, n) => {
        const height = Math.max(1, (count / most) * 24);
        const x = n * width;
        return <rect key={x} x={x + 0.75} y={24 - height} width={width - 1.5} height={height} />;
      })}
    </svg>
  );
}

const said = (parts: readonly number[], seconds: number): string =>
  `In each ${Math.round(seconds / parts.length)} s: ${parts.join(', ')}`;
