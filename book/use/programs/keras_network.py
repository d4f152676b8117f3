import os

os.environ.setdefault("KERAS_BACKEND", "jax")  # or tensorflow, torch

import keras
import numpy as np
from sklearn.datasets import make_classification

import calibration_lessons as cl

keras.utils.set_random_seed(0)
X, y = make_classification(
    12_000, n_informative=10, n_classes=4, flip_y=0, random_state=0
)
network = keras.Sequential(
    [keras.layers.Dense(128, "relu"), keras.layers.Dense(4, "softmax")]
)
network.compile("adam", "sparse_categorical_crossentropy")
network.fit(X[:2000], y[:2000], epochs=100, verbose=0)

# The last layer is a softmax. What goes into it are the logits; their
# softmax is all that counts, so the logarithm of what comes out will do.
probabilities = network.predict(X[2000:], batch_size=2000, verbose=0)
logits = np.log(np.maximum(probabilities, np.finfo("float32").tiny))

scaling = cl.TemperatureScaling().fit(logits[:2000], y[2000:4000])
print(f"temperature {scaling.temperature_:.2f}")
calibrated = scaling.predict_proba(logits[2000:])
for name, p in {"before": probabilities[2000:], "after": calibrated}.items():
    print(f"{name}: {cl.calibration_report(y[4000:], p, random_state=0)}")
