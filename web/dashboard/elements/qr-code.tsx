import { useEffect, useState } from 'preact/hooks';

/** Light squares around it, without which some cameras do not find it. */
const QUIET = 4;

/** A picture that a phone reads. Its script is loaded where a code is shown only. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const [code, setCode] = useState<{ side: number; path: string } | null>(null);
  useEffect(() => {
    let isShown = true;
    void import('uqr').then(({ encode }) => {
      const { data } = encode(text, { ecc: 'M', border: QUIET });
      const path = data
        .flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : '')))
        .join('');
      if (isShown) setCode({ side: data.length, path });
    });
    return () => {
      isShown = false;
    };
  }, [text]);
  if (!code) return <span class="qr-code" aria-hidden="true" />;
  return (
    <svg class="qr-code" role="img" aria-label={label} viewBox={`0 0 ${code.side} ${code.side}`}>
      <rect width={code.side} height={code.side} fill="#fff" />
      <path d={code.path} fill="#000" shape-rendering="crispEdges" />
    </svg>
  );
}
