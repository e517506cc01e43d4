import { useEffect, useState } from 'preact/hooks';

/** Light squares around it, without which some cameras do not find it. */
const QUIET = 4;

/** A picture that a phone reads. Its script is loaded where a code is shown only. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const [code, setCode] = useState<{ size: number; path: string } | null>(null);
  useEffect(() => {
    let isShown = true;
    void import('qrcode').then(({ create }) => {
      const { size, data } = create(text, { errorCorrectionLevel: 'M' }).modules;
      const path = Array.from(data)
        .map((dark, at) => (dark ? `M${at % size} ${Math.floor(at / size)}h1v1h-1z` : ''))
        .join('');
      if (isShown) setCode({ size, path });
    });
    return () => {
      isShown = false;
    };
  }, [text]);
  if (!code) return <span class="qr-code" aria-hidden="true" />;
  const side = code.size + 2 * QUIET;
  return (
    <svg class="qr-code" role="img" aria-label={label} viewBox={`${-QUIET} ${-QUIET} ${side} ${side}`}>
      <rect x={-QUIET} y={-QUIET} width={side} height={side} fill="#fff" />
      <path d={code.path} fill="#000" shape-rendering="crispEdges" />
    </svg>
  );
}
