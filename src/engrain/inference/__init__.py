"""Models, all optional: what turns texts into vectors."""

import os

# When onnxruntime is loaded without it, from 1.31 on, it notes an id of this device below HOME and
# reports to Microsoft.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
